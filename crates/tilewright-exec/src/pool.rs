//! Threads that are kept from launch to launch: starting one takes longer than a small launch.
//!
//! A thread without work sleeps. Work that no thread has begun when the caller is done with its own is taken back, so a launch
//! never waits for a thread to wake up. A process that was forked has none of the threads of its parent: it makes its own.
#![allow(unsafe_code, reason = "work borrows from the caller, who waits until it is over")]

use std::{
    any::Any,
    hint, mem,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
};

/// What threads do together, each with its number.
type Work<'w> = dyn Fn(usize) + Sync + 'w;

/// How often a caller looks whether a thread is done before it sleeps: some microseconds.
const LOOKS: usize = 500;

/// Runs `work` with number 0 on this thread and with the next numbers on up to `others` more; returns when all that have begun are done.
///
/// # Panics
/// When `work` does.
pub(crate) fn run(others: usize, work: &Work<'_>) {
    // SAFETY: only the lifetime changes. `team` is dropped before this function ends, however it ends, and waits for everyone who
    // has begun; nobody else can begin then.
    let shared = Shared(unsafe { mem::transmute::<*const Work<'_>, *const Work<'static>>(work) });
    let mut team = Team::default();
    while team.0.len() < others && team.add(shared) {}
    work(0);
    if let Some(panic) = team.finish() {
        resume_unwind(panic);
    }
}

/// Work of a caller who waits for it.
#[derive(Clone, Copy)]
struct Shared(*const Work<'static>);

// SAFETY: the work may be called from several threads at once.
unsafe impl Send for Shared {}

/// A thread of the pool.
#[derive(Default)]
struct Worker {
    task: Mutex<Task>,
    /// Told when there is work, and when work is done.
    changed: Condvar,
}

/// What a thread is at.
#[derive(Default)]
enum Task {
    #[default]
    None,
    /// Work that it has not begun.
    Wanted(Shared, usize),
    Running,
    /// With the panic that ended it, if one did.
    Done(Option<Box<dyn Any + Send>>),
}

/// Threads that work for one caller.
#[derive(Default)]
struct Team(Vec<Arc<Worker>>);

impl Team {
    /// Gives the work to one more thread; `false` if there is none to be had.
    fn add(&mut self, work: Shared) -> bool {
        let Some(worker) = idle().and_then(|mut idle| idle.workers.pop()).or_else(Worker::start) else { return false };
        *lock(&worker.task) = Task::Wanted(work, self.0.len() + 1);
        worker.changed.notify_all();
        self.0.push(worker);
        true
    }

    /// Takes back what was not begun and waits for the rest; gives the first panic.
    fn finish(&mut self) -> Option<Box<dyn Any + Send>> {
        let mut first = None;
        for worker in self.0.drain(..) {
            first = first.or(worker.finish());
            // Where the list cannot be had, a thread more sleeps than is needed.
            if let Some(mut idle) = idle() {
                idle.workers.push(worker);
            }
        }
        first
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Worker {
    /// A new thread; `None` if the system has none to give.
    fn start() -> Option<Arc<Worker>> {
        let worker = Arc::new(Worker::default());
        let own = Arc::clone(&worker);
        thread::Builder::new().name("tilewright".to_owned()).spawn(move || own.serve()).ok()?;
        Some(worker)
    }

    /// Does what is wanted, for ever.
    fn serve(&self) {
        let mut task = lock(&self.task);
        loop {
            let Task::Wanted(Shared(work), index) = *task else {
                task = self.changed.wait(task).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            *task = Task::Running;
            drop(task);
            // SAFETY: the caller of `run` waits for this thread while it is running, so the work is alive.
            let result = catch_unwind(AssertUnwindSafe(|| unsafe { (*work)(index) }));
            task = lock(&self.task);
            *task = Task::Done(result.err());
            self.changed.notify_all();
        }
    }

    /// Ends the work for a caller: takes it back if it was not begun, else waits for its end.
    fn finish(&self) -> Option<Box<dyn Any + Send>> {
        for _ in 0..LOOKS {
            if !matches!(*lock(&self.task), Task::Running) {
                break;
            }
            hint::spin_loop();
        }
        let mut task = lock(&self.task);
        while let Task::Running = *task {
            task = self.changed.wait(task).unwrap_or_else(PoisonError::into_inner);
        }
        match mem::take(&mut *task) {
            Task::Done(panic) => panic,
            _ => None,
        }
    }
}

/// The threads without work.
struct Idle {
    /// The process whose threads they are.
    process: u32,
    workers: Vec<Arc<Worker>>,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle { process: 0, workers: Vec::new() });

/// The threads of this process without work; `None` if the list cannot be had.
///
/// Nobody holds the lock for long; but a process that was forked while another thread of its parent held it finds it locked for ever.
fn idle() -> Option<MutexGuard<'static, Idle>> {
    for _ in 0..LOOKS {
        let mut idle = match IDLE.try_lock() {
            Ok(idle) => idle,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                thread::yield_now();
                continue;
            }
        };
        let process = std::process::id();
        if idle.process != process {
            *idle = Idle { process, workers: Vec::new() };
        }
        return Some(idle);
    }
    None
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering},
    };

    #[test]
    fn all_work_together_and_again() {
        for others in [0, 1, 3, 2] {
            // Nobody passes before all are here.
            let (barrier, sum) = (Barrier::new(others + 1), AtomicUsize::new(0));
            run(others, &|index| {
                barrier.wait();
                sum.fetch_add(index + 1, Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), (others + 1) * (others + 2) / 2);
        }
    }

    #[test]
    fn nobody_works_when_the_caller_has_gone_on() {
        for _ in 0..1000 {
            let running = AtomicUsize::new(0);
            run(2, &|_| {
                running.fetch_add(1, Ordering::Relaxed);
                running.fetch_sub(1, Ordering::Relaxed);
            });
            assert_eq!(running.into_inner(), 0);
        }
    }

    #[test]
    fn callers_do_not_disturb_each_other() {
        thread::scope(|scope| {
            for n in 1..5 {
                scope.spawn(move || {
                    for _ in 0..100 {
                        let barrier = Barrier::new(n);
                        run(n - 1, &|index| {
                            barrier.wait();
                            run(1, &|inner| assert!(inner <= 1 && index < n));
                        });
                    }
                });
            }
        });
    }

    #[test]
    fn panics_reach_the_caller_when_all_are_done() {
        for bad in [0, 1] {
            let (barrier, ended) = (Barrier::new(2), AtomicUsize::new(0));
            let result = catch_unwind(AssertUnwindSafe(|| {
                run(1, &|index| {
                    barrier.wait();
                    assert_ne!(index, bad);
                    ended.fetch_add(1, Ordering::Relaxed);
                });
            }));
            assert!(result.is_err());
            assert_eq!(ended.into_inner(), 1);
        }
        all_work_together_and_again();
    }

    #[test]
    fn threads_of_another_process_are_not_waited_for() {
        // As it is in a forked process: a thread in the list that will never do anything.
        {
            let mut idle = idle().unwrap();
            idle.process = 0;
            idle.workers.push(Arc::default());
        }
        all_work_together_and_again();
    }
}
