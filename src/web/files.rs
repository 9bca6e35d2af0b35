//! The files of the page, inside the program.

use treeline_web::File;

/// The files, each `name` with its type; the page itself first.
macro_rules! files {
    ($($name:literal $kind:literal,)*) => {
        pub const FILES: &[File] = &[$(File {
            path: concat!("/", $name),
            kind: $kind,
            text: include_str!(concat!("page/", $name)),
        }),*];
    };
}

files! {
    "index.html" "text/html; charset=utf-8",
    "style.css" "text/css; charset=utf-8",
    "icon.svg" "image/svg+xml",
    "main.js" "text/javascript; charset=utf-8",
    "server.js" "text/javascript; charset=utf-8",
    "game.js" "text/javascript; charset=utf-8",
    "board.js" "text/javascript; charset=utf-8",
    "clicks.js" "text/javascript; charset=utf-8",
    "clock.js" "text/javascript; charset=utf-8",
    "clocks.js" "text/javascript; charset=utf-8",
    "arrange.js" "text/javascript; charset=utf-8",
    "players.js" "text/javascript; charset=utf-8",
    "thoughts.js" "text/javascript; charset=utf-8",
    "graph.js" "text/javascript; charset=utf-8",
    "setup.js" "text/javascript; charset=utf-8",
    "fields.js" "text/javascript; charset=utf-8",
    "text.js" "text/javascript; charset=utf-8",
}
