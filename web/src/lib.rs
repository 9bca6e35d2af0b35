//! One page for browsers, and a dialogue with each page that is open: HTTP and WebSocket, and who may use them. Knows no game: the
//! page's files and what its messages mean come from the program.
//!
//! Whoever can open a socket can ask here, also a foreign page in a browser on this machine. What stands against it: the checks of
//! `guard`, limits on sizes, connections and time, and that files come from a table inside the program.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod connections;
mod files;
mod guard;
mod talk;

pub use files::File;
pub use guard::{Guard, token};
pub use talk::{Line, Page};

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// What is served, to whom, and how many at once.
#[derive(Debug)]
pub struct Settings {
    /// The first one is the page itself, also under `/`.
    pub files: &'static [File],
    /// Who may ask.
    pub guard: Guard,
    /// Pages that may be open at once.
    pub pages: usize,
    /// A page that has asked nothing for so long is disconnected. It comes back when it asks again.
    pub idle: Duration,
}

/// Serves for ever. `open` makes the other side of a new page's dialogue.
pub fn serve<P: Page>(
    listener: TcpListener,
    settings: Settings,
    open: impl Fn(Line) -> P + Send + Sync + 'static,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(settings.pages.clamp(1, 64))
        .build()?;
    let pages = Arc::new(talk::Pages {
        room: Arc::new(Semaphore::new(settings.pages)),
        idle: settings.idle,
        open: Box::new(open),
    });
    let dialogue = Router::new()
        .route("/talk", get(talk::begin::<P>))
        .with_state(pages);
    let app = files::routes(settings.files)
        .merge(dialogue)
        .layer(from_fn_with_state(Arc::new(settings.guard), guard::check));
    runtime.block_on(connections::accept(listener, app))
}
