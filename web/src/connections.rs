//! Connections: how many there are, and how long a request may take. After the change to a WebSocket a connection counts as a page
//! and no longer here.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Connections that carry requests at once. Further ones wait.
const REQUESTS: usize = 64;
/// A request that is not complete after so long, and a connection that has none for so long, is given up.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a request's head.
const HEAD: usize = 16 << 10;

/// Accepts connections for ever.
pub async fn accept(listener: std::net::TcpListener, app: Router) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let room = Arc::new(Semaphore::new(REQUESTS));
    loop {
        let Ok(place) = room.clone().acquire_owned().await else {
            return Ok(());
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // A connection that was dropped before it was taken, or no file handle left: others may still come.
                log::warn!("connection not accepted: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let app = app.clone();
        tokio::spawn(async move {
            answer(stream, app).await;
            drop(place);
        });
    }
}

async fn answer(stream: TcpStream, app: Router) {
    // Small messages must not wait for each other.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(HEAD);
    let service = TowerToHyperService::new(app);
    let connection = http.serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.with_upgrades().await {
        log::debug!("a connection broke off: {error}");
    }
}
