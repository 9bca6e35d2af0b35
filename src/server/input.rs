//! Where a dialogue comes from, and what can be known of the other side beside what it writes.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::net::TcpStream;

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

/// Whether stdin is a regular file, whose end says nothing about who waits for the output.
pub fn stdin_is_a_file() -> bool {
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
