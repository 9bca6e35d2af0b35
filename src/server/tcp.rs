//! The same dialogue on TCP: one independent session a connection, a limit on connections.

use super::places::Places;
use super::{Idle, ServeError, ServerConfig, Source, converse};
use crate::threads;
use std::io::{self, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

/// A peer that takes no byte of a reply for this long is gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// Accepts connections on `listener` for ever, at most `limit` at once. When all places are taken, a session that has been idle
/// for `patience` gives its place to a newcomer.
pub fn listen(
    listener: &TcpListener,
    settings: &ServerConfig,
    limit: usize,
    patience: Duration,
) -> io::Result<()> {
    let places = Places::new(limit, patience);
    for number in 0.. {
        let (stream, peer) = match listener.accept() {
            Ok(accepted) => accepted,
            Err(error) => {
                // A connection that was dropped before it was taken, or no file handle left: others may still come.
                log::warn!("connection not accepted: {error}");
                std::thread::sleep(Duration::from_millis(50));
                continue;
            }
        };
        let places = places.clone();
        let settings = settings.clone();
        let spawned = std::thread::Builder::new()
            .name("connection".into())
            .spawn(move || {
                let place = match places.take(&stream, number) {
                    Ok(Some(place)) => place,
                    Ok(None) => return turn_away(stream, limit),
                    Err(error) => return log::warn!("{peer} not served: {error}"),
                };
                log::info!("{peer} connected");
                match threads::caught(|| talk(&stream, &settings, &place.idle)) {
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
    Ok(())
}

fn talk(stream: &TcpStream, settings: &ServerConfig, idle: &Idle) -> Result<(), ServeError> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    keep_alive(stream)?;
    let (input, output) = (stream.try_clone()?, stream.try_clone()?);
    let source = Source::Connection;
    converse(input, output, settings, source, idle.clone(), |_, _| Ok(()))
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
