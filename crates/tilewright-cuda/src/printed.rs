//! What kernels print: the driver writes it to the standard output of the process when somebody waits for the kernel.

/// Does something, and gives what was written to the standard output of the process meanwhile, by whatever library.
///
/// Other threads must not write there at the same time. Where file descriptors are not those of Unix, the text goes where it always goes.
pub fn printed_by<T>(action: impl FnOnce() -> T) -> std::io::Result<(T, Vec<u8>)> {
    #[cfg(unix)]
    return unix::captured(action);
    #[cfg(not(unix))]
    return Ok((action(), Vec::new()));
}

#[cfg(unix)]
mod unix {
    #![allow(unsafe_code, reason = "streams of C are flushed by a function of C")]

    use std::{
        fs::File,
        io::{self, Read, Seek, Write},
        os::fd::{AsFd, AsRawFd, OwnedFd},
    };

    /// The standard output, while it is something else.
    struct Replaced {
        real: OwnedFd,
    }

    impl Replaced {
        fn by(file: &File) -> io::Result<Replaced> {
            flush()?;
            let real = io::stdout().as_fd().try_clone_to_owned()?;
            redirect(file.as_raw_fd())?;
            Ok(Replaced { real })
        }
    }

    impl Drop for Replaced {
        fn drop(&mut self) {
            // What cannot be flushed or put back now cannot be told to anybody either.
            let _ = flush();
            let _ = redirect(self.real.as_raw_fd());
        }
    }

    pub(super) fn captured<T>(action: impl FnOnce() -> T) -> io::Result<(T, Vec<u8>)> {
        let mut file = tempfile::tempfile()?;
        let replaced = Replaced::by(&file)?;
        let result = action();
        drop(replaced);
        let mut text = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut text)?;
        Ok((result, text))
    }

    /// Writes what Rust and C hold back.
    fn flush() -> io::Result<()> {
        io::stdout().flush()?;
        // SAFETY: null is all streams.
        match unsafe { libc::fflush(std::ptr::null_mut()) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn redirect(target: i32) -> io::Result<()> {
        // SAFETY: both are open.
        match unsafe { libc::dup2(target, io::stdout().as_raw_fd()) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
}
