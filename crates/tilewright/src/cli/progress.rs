//! The progress bar of a launch.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, IsTerminal},
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};
use tilewright::exec::ProgressFn;

/// Launches that end sooner show no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar on stderr that appears when a launch takes long, and only on a terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Dropped to say that the launch has ended.
    running: Option<Sender<()>>,
    /// Shows the bar when the time has come.
    waiter: Option<JoinHandle<()>>,
}

impl Progress {
    /// For launches of this many blocks; `None` where nobody would see it.
    pub(super) fn new(blocks: u64) -> Option<Progress> {
        if !io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(Some(blocks), ProgressDrawTarget::hidden()).with_style(style());
        let (running, ended) = channel();
        let shown = bar.clone();
        let waiter = thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(200));
            }
        });
        Some(Progress { bar, running: Some(running), waiter: Some(waiter) })
    }

    /// What a launch calls as blocks finish.
    pub(super) fn callback(&self) -> ProgressFn {
        let bar = self.bar.clone();
        Arc::new(move |finished| bar.set_position(finished))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.running.take());
        if let Some(waiter) = self.waiter.take() {
            // It does nothing that could panic.
            let _ = waiter.join();
        }
        self.bar.finish_and_clear();
    }
}

fn style() -> ProgressStyle {
    let template = ProgressStyle::with_template("{bar:30} {human_pos} of {human_len} blocks, {elapsed} gone");
    // A wrong template is a fault of this file; the default bar serves as well.
    template.unwrap_or_else(|_| ProgressStyle::default_bar())
}
