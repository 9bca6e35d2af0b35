//! `treeline web`: the page's files and who gets them, its dialogue, and the page itself in a browser.

mod arranging;
mod browser;
mod browser_play;
mod dialogue;
mod driver;
mod hostile;
mod wire;
