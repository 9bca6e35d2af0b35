//! The same dialogue on TCP: one independent session a connection, a limit on connections.

use super::{ServeError, ServerConfig, Source, serve};
use crate::threads;
use std::io::{self, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A peer that takes no byte of a reply for this long is gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// Accepts connections on `listener` for ever, at most `limit` at once.
pub fn listen(listener: &TcpListener, settings: &ServerConfig, limit: usize) -> io::Result<()> {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let (stream, peer) = match listener.accept() {
            Ok(accepted) => accepted,
            Err(error) => {
                // A connection that was dropped before it was taken, or no file handle left: others may still come.
                log::warn!("connection not accepted: {error}");
                std::thread::sleep(Duration::from_millis(50));
                continue;
            }
        };
        let place = Place::take(&open, limit);
        let settings = settings.clone();
        let spawned = std::thread::Builder::new()
            .name("connection".into())
            .spawn(move || {
                let Some(_place) = place else {
                    turn_away(stream, limit);
                    return;
                };
                log::info!("{peer} connected");
                match threads::caught(|| talk(&stream, &settings)) {
                    Ok(()) => log::info!("{peer} left"),
                    Err(ServeError::Panicked(error)) => log::error!("{peer}: {error}"),
                    Err(error) => log::info!("{peer} is gone: {error}"),
                }
                // Also wakes the reader thread if it still waits for a line.
                let _ = stream.shutdown(Shutdown::Both);
            });
        if let Err(error) = spawned {
            log::warn!("no thread for {peer}: {error}");
        }
    }
}

fn talk(stream: &TcpStream, settings: &ServerConfig) -> Result<(), ServeError> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    keep_alive(stream)?;
    serve(
        stream.try_clone()?,
        stream.try_clone()?,
        settings,
        Source::Connection,
    )
}

/// Lets the system ask now and then whether the peer is still there: one that vanished while it was silent would keep its
/// place for ever.
#[cfg(unix)]
fn keep_alive(stream: &TcpStream) -> io::Result<()> {
    use rustix::net::sockopt;
    sockopt::set_socket_keepalive(stream, true)?;
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    {
        sockopt::set_tcp_keepidle(stream, PATIENCE)?;
        sockopt::set_tcp_keepintvl(stream, PATIENCE / 4)?;
        sockopt::set_tcp_keepcnt(stream, 4)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_alive(_stream: &TcpStream) -> io::Result<()> {
    Ok(())
}

fn turn_away(mut stream: TcpStream, limit: usize) {
    let _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
    let _ = stream.write_all(format!("? all {limit} connections are in use\n\n").as_bytes());
}

/// One of the places for connections.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(open: &Arc<AtomicUsize>, limit: usize) -> Option<Self> {
        let taken = open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| {
            (n < limit).then_some(n + 1)
        });
        taken.is_ok().then(|| Place(open.clone()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
