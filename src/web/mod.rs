//! A board in the browser: what the page asks, answered from sessions. The page holds its game and says it with every question, so
//! that a reload, a link and another tab lose nothing. HTTP is the crate `web`'s; the files of the page are in `page/`.

mod asking;
mod board;
mod catalogue;
mod files;
mod records;
mod reply;
mod seats;

use crate::options::Values;
use crate::session::Selection;
use asking::Asking;
use seats::Seats;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use treeline_web::Settings as Http;

pub use treeline_web::{Guard, token};

/// What holds for all pages.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The session's options, [`crate::session::options::SPECS`]; `memory` for all searches together.
    pub options: Values,
    /// Files with networks that pages may choose by the stems of their names.
    pub networks: Vec<String>,
    /// Who thinks where a page asks for nobody.
    pub searcher: Selection,
    /// Searches at once. They share the memory equally.
    pub searches: usize,
    /// Pages open at once.
    pub pages: usize,
    /// A page that asks nothing for so long is disconnected; it comes back when it asks again.
    pub idle: Duration,
    pub guard: Guard,
}

/// The searches that all pages share, ready to be asked.
pub struct Server {
    settings: Settings,
    seats: Arc<Seats>,
}

impl Server {
    /// An error if the settings do not fit together.
    pub fn open(settings: Settings) -> anyhow::Result<Self> {
        let seats = Arc::new(Seats::open(&settings)?);
        Ok(Server { settings, seats })
    }

    /// Serves pages on `listener` for ever.
    pub fn run(self, listener: TcpListener) -> anyhow::Result<()> {
        let http = Http {
            files: files::FILES,
            guard: self.settings.guard,
            pages: self.settings.pages,
            idle: self.settings.idle,
        };
        let open = move |line| Asking::new(self.seats.clone(), line);
        Ok(treeline_web::serve(listener, http, open)?)
    }
}

/// The address that leads a browser on this machine to the page.
pub fn address(listener: &TcpListener, token: Option<&str>) -> io::Result<String> {
    let bound = listener.local_addr()?;
    let token = token.map_or(String::new(), |token| format!("?token={token}"));
    Ok(format!("http://{bound}/{token}"))
}
