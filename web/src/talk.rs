//! The dialogue with a page over its WebSocket: a text a message, both ways. One message is heard at a time, so that a page that
//! asks faster than it is answered waits.

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

/// Bytes of a message.
const LONGEST: usize = 64 << 10;
/// Messages that wait to be sent. The last of them are kept for answers that must arrive.
const WAITING: usize = 64;
const RESERVE: usize = 32;
/// How often a page is asked whether it is still there, and how long it may be silent then or take nothing.
const ALIVE: Duration = Duration::from_secs(20);
const PATIENCE: Duration = Duration::from_secs(60);
/// The time that a message takes at least, when many come at once.
const PACE: Duration = Duration::from_millis(10);
const AT_ONCE: u32 = 100;

/// The program's side of a dialogue. It ends when this is dropped.
pub trait Page: Send + 'static {
    /// Hears a message. May take its time: it has a thread for it.
    fn hear(&mut self, text: &str);
}

/// Leads to a page; clones lead to the same.
#[derive(Debug, Clone)]
pub struct Line(Sender<String>);

impl Line {
    /// Sends an answer. What a page that is gone or takes nothing does not get is lost.
    pub fn say(&self, text: String) {
        if let Err(error) = self.0.try_send(text) {
            log::debug!("an answer is lost: {error}");
        }
    }

    /// Sends something that the next such message replaces; not if many wait already.
    pub fn mention(&self, text: impl FnOnce() -> String) {
        if self.0.capacity() > RESERVE {
            self.say(text());
        }
    }
}

/// What all dialogues have in common.
pub struct Pages<P> {
    pub room: Arc<Semaphore>,
    pub idle: Duration,
    pub open: Box<dyn Fn(Line) -> P + Send + Sync>,
}

/// Answers the request for a WebSocket.
pub async fn begin<P: Page>(
    State(pages): State<Arc<Pages<P>>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Ok(place) = pages.room.clone().try_acquire_owned() else {
        let reason = "as many pages are open as are allowed; close one\n";
        return (StatusCode::SERVICE_UNAVAILABLE, reason).into_response();
    };
    upgrade
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .max_write_buffer_size(4 << 20)
        .on_upgrade(async move |socket| {
            talk(socket, &pages).await;
            drop(place);
        })
}

async fn talk<P: Page>(mut socket: WebSocket, pages: &Pages<P>) {
    let (sender, answers) = channel(WAITING);
    let page = (pages.open)(Line(sender));
    let reason = converse(&mut socket, page, answers, pages.idle).await;
    log::debug!("a page left: {reason:?}");
    let (code, reason) = match reason {
        Reason::Gone => return,
        Reason::Idle => (4000, "idle"),
        Reason::NoText => (1003, "expected text"),
        Reason::TooLong => (1009, "longer than 64 kB"),
        Reason::Defect => (1011, "internal error; please report it"),
    };
    let reason = reason.into();
    let close = Message::Close(Some(CloseFrame { code, reason }));
    let _ = timeout(PATIENCE, socket.send(close)).await;
}

/// Why a dialogue ended.
#[derive(Debug)]
enum Reason {
    Gone,
    Idle,
    NoText,
    TooLong,
    Defect,
}

async fn converse<P: Page>(
    socket: &mut WebSocket,
    page: P,
    mut answers: Receiver<String>,
    idle: Duration,
) -> Reason {
    let mut page = Some(page);
    let (mut seen, mut asked) = (Instant::now(), Instant::now());
    let mut allowance = Allowance::new();
    let mut alive = interval(ALIVE.min(idle.max(PACE)));
    alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            answer = answers.recv() => {
                let Some(answer) = answer else { return Reason::Gone };
                if !send(socket, Message::Text(answer.into())).await { return Reason::Gone }
            }
            message = socket.recv() => {
                seen = Instant::now();
                let text = match message {
                    Some(Ok(Message::Text(text))) => text,
                    Some(Ok(Message::Binary(_))) => return Reason::NoText,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_))) | None => return Reason::Gone,
                    Some(Err(error)) => return broken(&error),
                };
                asked = seen;
                allowance.spend().await;
                let Some(mut hearing) = page.take() else { return Reason::Defect };
                let heard = tokio::task::spawn_blocking(move || {
                    hearing.hear(&text);
                    hearing
                });
                match heard.await {
                    Ok(back) => page = Some(back),
                    Err(error) => {
                        log::error!("a message was not answered: {error}");
                        return Reason::Defect;
                    }
                }
            }
            _ = alive.tick() => {
                if seen.elapsed() > PATIENCE { return Reason::Gone }
                if asked.elapsed() > idle { return Reason::Idle }
                if !send(socket, Message::Ping(Default::default())).await { return Reason::Gone }
            }
        }
    }
}

/// The library's error for a message beyond the limit has no type here.
fn broken(error: &axum::Error) -> Reason {
    match error.to_string().contains("too long") || error.to_string().contains("too big") {
        true => Reason::TooLong,
        false => Reason::Gone,
    }
}

/// Whether the page took it.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(PATIENCE, socket.send(message)).await, Ok(Ok(())))
}

/// Lets a few messages through at once, and many only at an even pace.
struct Allowance {
    left: u32,
    filled: Instant,
}

impl Allowance {
    fn new() -> Self {
        Allowance {
            left: AT_ONCE,
            filled: Instant::now(),
        }
    }

    async fn spend(&mut self) {
        let passed = self.filled.elapsed().as_millis() / PACE.as_millis();
        if passed > 0 {
            self.left = (self.left + u32::try_from(passed).unwrap_or(AT_ONCE)).min(AT_ONCE);
            self.filled = Instant::now();
        }
        match self.left {
            0 => tokio::time::sleep(PACE).await,
            _ => self.left -= 1,
        }
    }
}
