//! Ctrl-C ends a launch.
//!
//! Python notes a signal when it comes, but raises `KeyboardInterrupt` only when the main thread runs Python's code again, which it does
//! not do during a launch. So during a launch of the main thread a handler stands in front of Python's.

use pyo3::prelude::*;
use tilewright::exec::Interrupt;

/// Runs a launch while other Python threads go on; it ends when the interrupt that it is given is set.
pub(crate) fn stoppable<T: Send>(py: Python<'_>, launch: impl FnOnce(&Interrupt) -> T + Send) -> T {
    let own = Interrupt::new();
    let watch = interrupt::Watch::new(py);
    let interrupt = watch.as_ref().map_or(&own, |watch| watch.interrupt());
    py.detach(|| launch(interrupt))
}

#[cfg(unix)]
mod interrupt {
    #![allow(unsafe_code, reason = "handlers of signals are set by functions of C")]

    use pyo3::{prelude::*, sync::PyOnceLock};
    use std::{
        ffi::c_int,
        mem::{MaybeUninit, transmute},
        ptr,
        sync::atomic::{AtomicPtr, AtomicUsize, Ordering},
    };
    use tilewright::exec::Interrupt;

    /// What Ctrl-C sets. One is enough, since only the main thread sets the handler.
    static OF_LAUNCH: AtomicPtr<Interrupt> = AtomicPtr::new(ptr::null_mut());
    /// The address of Python's handler.
    static OF_PYTHON: AtomicUsize = AtomicUsize::new(0);

    /// While this lives, Ctrl-C sets a flag, and then does what it did before.
    pub(super) struct Watch {
        before: libc::sigaction,
        interrupt: &'static Interrupt,
    }

    impl Watch {
        /// Begins if this is the main thread, and Ctrl-C is to raise `KeyboardInterrupt` and nothing else.
        pub(super) fn new(py: Python<'_>) -> Option<Watch> {
            if !is_main_thread() || !raises_keyboard_interrupt(py).unwrap_or(false) {
                return None;
            }
            let before = current()?;
            let takes_one_argument = before.sa_flags & libc::SA_SIGINFO == 0;
            let is_function = before.sa_sigaction != libc::SIG_DFL && before.sa_sigaction != libc::SIG_IGN;
            // A launch by what a kernel prints to is inside of another one.
            if !takes_one_argument || !is_function || before.sa_sigaction == address() {
                return None;
            }
            OF_PYTHON.store(before.sa_sigaction, Ordering::Relaxed);
            let interrupt = unset();
            let mut with = before;
            with.sa_sigaction = address();
            set(&with).then_some(Watch { before, interrupt })
        }

        pub(super) fn interrupt(&self) -> &Interrupt {
            self.interrupt
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            // What was set in the meantime stays.
            if current().is_some_and(|now| now.sa_sigaction == address()) {
                set(&self.before);
            }
        }
    }

    /// The interrupt for the next launch: that of the last one, or a new one after Ctrl-C. A handler may still run in another thread, so
    /// none is ever freed.
    fn unset() -> &'static Interrupt {
        // SAFETY: it is null or was leaked.
        if let Some(last) = unsafe { OF_LAUNCH.load(Ordering::Relaxed).as_ref() }.filter(|last| !last.is_set()) {
            return last;
        }
        let new = Box::leak(Box::new(Interrupt::new()));
        OF_LAUNCH.store(new, Ordering::Release);
        new
    }

    extern "C" fn handle(signal: c_int) {
        // SAFETY: the handler is only set after an interrupt was leaked.
        if let Some(interrupt) = unsafe { OF_LAUNCH.load(Ordering::Acquire).as_ref() } {
            interrupt.set();
        }
        let of_python = OF_PYTHON.load(Ordering::Relaxed);
        // SAFETY: the handler is only set after the address of one that takes a number was stored.
        let of_python: extern "C" fn(c_int) = unsafe { transmute(of_python) };
        of_python(signal);
    }

    fn address() -> usize {
        (handle as extern "C" fn(c_int)) as usize
    }

    fn current() -> Option<libc::sigaction> {
        let mut found = MaybeUninit::uninit();
        // SAFETY: `found` may be written, and is after success.
        unsafe { (libc::sigaction(libc::SIGINT, ptr::null(), found.as_mut_ptr()) == 0).then(|| found.assume_init()) }
    }

    fn set(action: &libc::sigaction) -> bool {
        // SAFETY: the handler of `action` is that of this file, which does what a handler may do, or one that was set before.
        unsafe { libc::sigaction(libc::SIGINT, action, ptr::null_mut()) == 0 }
    }

    fn is_main_thread() -> bool {
        thread_local!(static IS_MAIN: bool = {
            #[cfg(target_vendor = "apple")]
            // SAFETY: it has no conditions.
            let is_main = unsafe { libc::pthread_main_np() } == 1;
            #[cfg(target_os = "linux")]
            // SAFETY: it has no conditions.
            let is_main = unsafe { libc::gettid() == libc::getpid() };
            #[cfg(not(any(target_vendor = "apple", target_os = "linux")))]
            let is_main = false;
            is_main
        });
        IS_MAIN.with(|is_main| *is_main)
    }

    /// Whether Python's own handler is in place: what a program does in a handler of its own need not end a launch.
    fn raises_keyboard_interrupt(py: Python<'_>) -> PyResult<bool> {
        static GET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static DEFAULT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let handler = GET.import(py, "_signal", "getsignal")?.call1((libc::SIGINT,))?;
        Ok(handler.is(DEFAULT.import(py, "_signal", "default_int_handler")?))
    }
}

#[cfg(not(unix))]
mod interrupt {
    use pyo3::prelude::*;
    use tilewright::exec::Interrupt;

    /// Ctrl-C is seen when the launch has ended.
    pub(super) enum Watch {}

    impl Watch {
        pub(super) fn new(_: Python<'_>) -> Option<Watch> {
            None
        }

        pub(super) fn interrupt(&self) -> &Interrupt {
            match *self {}
        }
    }
}
