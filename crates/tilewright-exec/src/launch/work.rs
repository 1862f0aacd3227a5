//! What a worker does: it begins blocks, and resumes those that wait.

use super::{
    queue::{Queue, Work, Worker},
    unplaced,
};
use crate::{
    Interrupt, LaunchError, LaunchErrorKind,
    kernels::stream,
    vm::{Block, Launch, Machine, Outcome},
};
use std::thread;

/// Ends the launch when a worker panics: the others would wait for its block for ever.
struct PanicGuard<'q>(&'q Queue, &'q Interrupt);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.1.set();
            let kind = LaunchErrorKind::Resource("a worker thread panicked".to_owned());
            self.0.fail(LaunchError { entry: String::new(), block: None, site: None, kind });
        }
    }
}

/// Runs blocks until there are none left.
pub(super) fn work(launch: &Launch<'_>, queue: &Queue, index: usize) {
    let _guard = PanicGuard(queue, &launch.interrupt);
    let _entered = launch.interrupt.enter();
    let mut worker = Worker::new(index);
    if let Err(error) = run_blocks(launch, queue, &mut worker) {
        launch.interrupt.set();
        queue.fail(error);
    }
    queue.count_ended(&mut worker);
    stream::fence();
}

fn run_blocks(launch: &Launch<'_>, queue: &Queue, worker: &mut Worker) -> Result<(), LaunchError> {
    let plan = launch.plan;
    let resource = |kind| unplaced(plan, kind);
    let mut machine = Machine::new(launch).map_err(resource)?;
    while !launch.interrupt.is_set() {
        let block = match queue.next(worker) {
            Work::Begin(index) => {
                let mut block = match queue.begin(worker, index, launch) {
                    Ok(block) => block,
                    Err(wanted) => {
                        // It is still the next one.
                        worker.taken.start = index;
                        match queue.make_room(worker, launch, wanted).map_err(resource)? {
                            Some(block) => run_on(&mut machine, queue, worker, block)?,
                            None => thread::yield_now(),
                        }
                        continue;
                    }
                };
                let ran = machine.run_as_one(&mut block, 1 + worker.taken.end - worker.taken.start);
                if ran > 0 {
                    if launch.interrupt.was_seen() {
                        break;
                    }
                    worker.taken.start += ran - 1;
                    queue.end(worker, block, ran);
                    continue;
                }
                if queue.in_step > 1 {
                    let mut blocks = vec![block];
                    while blocks.len() < queue.in_step
                        && let Some(index) = worker.taken.next()
                    {
                        let Ok(block) = queue.begin(worker, index, launch) else {
                            worker.taken.start = index;
                            break;
                        };
                        blocks.push(block);
                    }
                    if blocks.len() > 1 {
                        machine.run_in_step(&mut blocks)?;
                    }
                    if launch.interrupt.was_seen() {
                        break;
                    }
                    blocks.into_iter().try_for_each(|block| run_on(&mut machine, queue, worker, block))?;
                    continue;
                }
                block
            }
            Work::Resume(block) => block,
            Work::Wait => {
                queue.share_idle(worker);
                thread::yield_now();
                continue;
            }
            Work::Done => return Ok(()),
        };
        run_on(&mut machine, queue, worker, block)?;
    }
    Ok(())
}

/// Runs the blocks of a launch, none of which waits for others, on this thread, in the order of the grid, until one fails or the launch is to end.
pub(super) fn run_in_order(launch: &Launch<'_>) -> Result<(), LaunchError> {
    let _entered = launch.interrupt.enter();
    let resource = |kind| unplaced(launch.plan, kind);
    let mut machine = Machine::new(launch).map_err(resource)?;
    let mut block = Block::new(launch).map_err(resource)?;
    for index in 0..launch.blocks {
        block.begin(index, launch.position(index));
        machine.run(&mut block)?;
        if launch.interrupt.is_set() {
            break;
        }
    }
    Ok(())
}

/// Runs a block until it ends or waits.
#[inline]
fn run_on(machine: &mut Machine<'_>, queue: &Queue, worker: &mut Worker, mut block: Box<Block>) -> Result<(), LaunchError> {
    match machine.run(&mut block)? {
        Outcome::Finished => queue.end(worker, block, 1),
        Outcome::Parked => queue.park(block),
        Outcome::Preempted | Outcome::Interrupted => {}
    }
    Ok(())
}
