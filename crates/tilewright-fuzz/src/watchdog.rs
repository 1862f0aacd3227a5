//! Telling which input takes long.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

/// Reports the input that is being worked on when it takes longer than expected. It stops nothing: how long something
/// takes depends on the machine, so a test cannot fail for it; but a hang is seen with what caused it.
#[derive(Debug)]
pub struct Watchdog {
    current: Arc<Mutex<Option<(Instant, String)>>>,
    // Its end stops the thread.
    _alive: Sender<()>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watchdog {
    /// Begins to look at intervals of `patience` whether one input takes that long, and tells `report`.
    pub fn new(patience: Duration, report: impl Fn(&str) + Send + 'static) -> Watchdog {
        let current: Arc<Mutex<Option<(Instant, String)>>> = Arc::default();
        let (alive, ended) = mpsc::channel::<()>();
        let watched = Arc::clone(&current);
        thread::spawn(move || {
            while ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                if let Some((start, name)) = &*lock(&watched)
                    && start.elapsed() >= patience
                {
                    report(&format!("{name} takes {:?} so far", start.elapsed()));
                }
            }
        });
        Watchdog { current, _alive: alive }
    }

    /// Work on this input begins.
    pub fn watch(&self, name: impl Into<String>) {
        *lock(&self.current) = Some((Instant::now(), name.into()));
    }
}
