//! Where a dialogue comes from, and what can be known of the other side beside what it writes.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::net::TcpStream;

/// What a dialogue is read from. It decides what the end of input means for the searches that run or wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A file: its end means nothing.
    File,
    /// A pipe or a terminal: no search is asked for any more. Those asked for are finished; one without a limit, which would
    /// never finish, ends after `linger`.
    Pipe,
    /// A connection: the other side is gone, and its searches end at once, so that it holds no core.
    Connection,
}

/// Something to read a dialogue from.
pub trait Input: Read + Send + 'static {
    /// Whether the other side has closed it, which is seen also while there is something left to read.
    fn is_closed(&self) -> bool {
        false
    }
}

impl<T: AsRef<[u8]> + Send + 'static> Input for Cursor<T> {}

impl Input for io::Stdin {
    fn is_closed(&self) -> bool {
        hung_up(self)
    }
}

impl Input for TcpStream {
    fn is_closed(&self) -> bool {
        hung_up(self)
    }
}

#[cfg(unix)]
fn hung_up(input: &impl std::os::fd::AsFd) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let gone = PollFlags::HUP | PollFlags::RDHUP;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let gone = PollFlags::HUP;
    let mut polled = [PollFd::new(input, gone)];
    poll(&mut polled, Some(&Timespec::default())).is_ok() && polled[0].revents().intersects(gone)
}

#[cfg(not(unix))]
fn hung_up<T>(_input: &T) -> bool {
    false
}

/// What stdin is.
pub fn stdin_source() -> Source {
    if stdin_is_a_file() {
        Source::File
    } else {
        Source::Pipe
    }
}

fn stdin_is_a_file() -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let file = io::stdin().as_fd().try_clone_to_owned().map(File::from);
        file.and_then(|file| file.metadata())
            .is_ok_and(|data| data.is_file())
    }
    #[cfg(not(unix))]
    false
}

/// Calls `then` once nobody can read stdout any more: its other end is closed. Never for a file.
#[cfg(unix)]
pub fn when_stdout_closes(then: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    // Linux wakes a poll for nothing but an error; others are not known to.
    let second = Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    };
    let stdout = io::stdout();
    let watch = move || {
        let wait = (!cfg!(target_os = "linux")).then_some(&second);
        loop {
            let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
            match poll(&mut polled, wait) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
            let seen = polled[0].revents();
            if seen.intersects(PollFlags::ERR | PollFlags::HUP) {
                return then();
            }
            // Not open at all.
            if seen.intersects(PollFlags::NVAL) {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("stdout".into())
        .spawn(watch)?;
    Ok(())
}

#[cfg(not(unix))]
pub fn when_stdout_closes(_then: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Ok(())
}
