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

/// Who is at the other end of a dialogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// Nobody: a regular file, all of which is answered.
    File,
    /// A program or a person: what was asked for before the end of input is finished.
    Pipe,
    /// Somebody on the network: who leaves gives the place back at once.
    Network,
}

/// What stdin is.
pub fn stdin_peer() -> Peer {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let file = io::stdin().as_fd().try_clone_to_owned().map(File::from);
        let data = file.and_then(|file| file.metadata());
        match data.is_ok_and(|data| data.is_file()) {
            true => Peer::File,
            false => Peer::Pipe,
        }
    }
    #[cfg(not(unix))]
    Peer::Pipe
}

/// Calls `gone` on a thread of its own once nobody reads the process's stdout any more: searches between two replies would not
/// notice.
pub fn watch_stdout(gone: impl FnOnce() + Send + 'static) -> io::Result<()> {
    #[cfg(unix)]
    std::thread::Builder::new()
        .name("watcher".into())
        .spawn(move || {
            use rustix::event::{PollFd, PollFlags, poll};
            let out = io::stdout();
            // No event but those of the other side's end, which are always told.
            let mut polled = [PollFd::new(&out, PollFlags::empty())];
            let mut wait = || loop {
                match poll(&mut polled, None) {
                    Err(rustix::io::Errno::INTR) => {}
                    other => return other,
                }
            };
            if wait().is_ok() {
                gone();
            }
        })?;
    #[cfg(not(unix))]
    drop(gone);
    Ok(())
}
