//! Until when a launch may take.

use crate::{Interrupt, LaunchErrorKind};
use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};
use tilewright_passes::clock::Moment;

/// When a launch must have ended.
pub(super) struct Deadline(Option<(Duration, Moment)>);

impl Deadline {
    /// So long from now on; no deadline if that is further away than time goes.
    pub(super) fn new(limit: Option<Duration>) -> Deadline {
        Deadline(limit.and_then(|limit| Some((limit, Moment::now().checked_add(limit)?))))
    }

    /// The limit, if the deadline has passed at a time.
    pub(super) fn passed(&self, at: Moment) -> Option<Duration> {
        self.0.filter(|(_, deadline)| at >= *deadline).map(|(limit, _)| limit)
    }

    /// Does work, and sets the interrupt when the deadline passes before it is done: another thread sleeps until then.
    ///
    /// # Errors
    /// When there is no other thread to be had.
    pub(super) fn watch<T>(&self, interrupt: &Interrupt, work: impl FnOnce() -> T) -> Result<T, LaunchErrorKind> {
        let Some((_, deadline)) = self.0 else { return Ok(work()) };
        thread::scope(|scope| {
            let (end, ended) = mpsc::channel::<()>();
            let wait = move || {
                let left = deadline.since(Moment::now());
                if ended.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                    interrupt.set();
                }
            };
            let watcher = thread::Builder::new().name("tilewright deadline".to_owned()).spawn_scoped(scope, wait);
            watcher.map_err(|error| LaunchErrorKind::Resource(format!("no thread that watches the time: {error}")))?;
            let done = work();
            drop(end);
            Ok(done)
        })
    }
}
