//! `treeline web`: the board in a browser.

use super::{selection, session_options};
use crate::session::{DEFAULT_SEARCHER, Selection};
use crate::web::{self, Guard, Settings};
use anyhow::{Context, Result};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Where the page is unless another port is asked for. Browsers keep what a page remembers by address and port.
const PORT: u16 = 7117;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Opens a page to play and to analyse all games, against the engine or another person. Everything comes from this program; it runs \
until Ctrl-C. Only this machine can reach it. With --listen 0.0.0.0:7117 others in the network can, who know the address with its \
token that is printed then; the connection is not encrypted. docs/web.md leads through it.")]
pub struct Web {
    /// Where to listen; a bare port is one of this machine only
    #[arg(long, value_name = "[ADDRESS:]PORT")]
    listen: Option<String>,
    /// Print the address and open no browser
    #[arg(long)]
    no_open: bool,
    /// A name under which the server may be asked for, besides addresses and localhost; may be repeated
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Searcher where the page asks for none, and its options
    #[arg(long, value_name = "SEARCHER", default_value = DEFAULT_SEARCHER)]
    searcher: String,
    /// A file with a network that pages may choose, by its name without folder and ending; may be repeated
    #[arg(long = "network", value_name = "FILE")]
    networks: Vec<String>,
    /// An option of the session, as set_option takes it; memory is for all searches together
    #[arg(long = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Searches at once; they share the memory equally
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=256))]
    searches: u32,
    /// Pages that may be open at once
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pages: u32,
    /// A page that asks nothing for so long is disconnected until it asks again
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    idle: u32,
}

impl Web {
    pub fn run(self) -> Result<()> {
        let options = session_options(&self.options, &[])?;
        let searcher: Selection = selection(&self.searcher);
        let listener = self.bind()?;
        let loopback = listener.local_addr()?.ip().is_loopback();
        let token = match loopback {
            true => None,
            false => Some(web::token()?),
        };
        let address = web::address(&listener, token.as_deref())?;
        let settings = Settings {
            options,
            networks: self.networks.clone(),
            searcher,
            searches: self.searches as usize,
            pages: self.pages as usize,
            idle: Duration::from_secs(self.idle.into()),
            guard: Guard {
                loopback,
                hosts: self.hosts.clone(),
                token,
            },
        };
        let served = web::Server::open(settings)?;
        eprintln!("treeline: the board is at {address}");
        if !self.no_open {
            open_browser(&address);
        }
        served.run(listener)
    }

    fn bind(&self) -> Result<TcpListener> {
        let Some(text) = &self.listen else {
            // Another one that runs already, or another program: any port is as good.
            return TcpListener::bind(("127.0.0.1", PORT))
                .or_else(|_| TcpListener::bind(("127.0.0.1", 0)))
                .context("cannot listen on this machine");
        };
        let text = match text.parse::<u16>() {
            Ok(port) => format!("127.0.0.1:{port}"),
            Err(_) => text.clone(),
        };
        let addresses: Vec<SocketAddr> = text
            .to_socket_addrs()
            .with_context(|| format!("--listen takes [ADDRESS:]PORT, not '{text}'"))?
            .collect();
        TcpListener::bind(addresses.as_slice()).with_context(|| format!("cannot listen on {text}"))
    }
}

/// Asks the system for the user's browser. Where there is none, the address was printed.
fn open_browser(address: &str) {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let started = Command::new(program)
        .args(arguments)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match started {
        Ok(mut child) => {
            // Waited for, so that it leaves no zombie.
            std::thread::spawn(move || child.wait());
        }
        Err(error) => log::info!("no browser was opened: {program}: {error}"),
    }
}
