//! Printing on several threads.

use super::{Printer, Shared, sheet::Sheet, steps::Steps};
use std::{
    panic::resume_unwind,
    sync::mpsc::{Receiver, Sender, channel, sync_channel},
    thread::{Scope, ScopedJoinHandle},
};

/// How many runs a thread may be ahead of its turn.
const AHEAD: usize = 4;

/// A thread that prints: the texts that it makes, the way back for their memory, and which resources it named.
struct Worker<'s> {
    texts: Receiver<Sheet>,
    used: Sender<Sheet>,
    thread: ScopedJoinHandle<'s, Vec<bool>>,
}

/// Every thread prints each n-th run; this one only hands the texts on, in their order, until `hand_on` has enough. Gives which resources
/// were named.
pub(super) fn print(shared: &Shared<'_, '_>, steps: &Steps, threads: usize, hand_on: &mut dyn FnMut(&[u8]) -> bool) -> Vec<bool> {
    std::thread::scope(|scope| {
        let workers: Vec<Worker<'_>> = (0..threads).map(|turn| worker(scope, shared, steps, turn, threads)).collect();
        for run in 0..steps.num_runs() {
            let worker = &workers[run % threads];
            // One that does not come is that of a thread that panicked, which is passed on below.
            let Ok(text) = worker.texts.recv() else { break };
            if !hand_on(text.text()) {
                break;
            }
            // A thread that has ended needs none.
            let _ = worker.used.send(text);
        }
        // Threads end when nobody takes their texts any more.
        let threads: Vec<_> = workers.into_iter().map(|worker| worker.thread).collect();
        let mut used = vec![false; shared.module.tables.num_dialect_resources];
        for thread in threads {
            let more = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            used.iter_mut().zip(more).for_each(|(used, more)| *used |= more);
        }
        used
    })
}

fn worker<'s>(scope: &'s Scope<'s, '_>, shared: &'s Shared<'_, '_>, steps: &'s Steps, turn: usize, threads: usize) -> Worker<'s> {
    let (sender, texts) = sync_channel(AHEAD);
    let (used, empty) = channel::<Sheet>();
    let thread = scope.spawn(move || {
        let printer = Printer::new(shared);
        for run in (turn..steps.num_runs()).step_by(threads) {
            let mut text = empty.try_recv().unwrap_or_default();
            text.clear();
            printer.run(steps, run, &mut text);
            if sender.send(text).is_err() {
                break;
            }
        }
        printer.used_resources.into_inner()
    });
    Worker { texts, used, thread }
}
