//! What the targets share: a small server, what every dialogue must look like, and a folder for files.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use treeline::options::Values;
use treeline::server::ServerConfig;
use treeline::session::Caps;
use treeline::session::options::SPECS;

/// A server whose sessions search little, and cannot ask for much.
pub fn settings() -> ServerConfig {
    let mut options = Values::new(SPECS);
    let small = ["simulations=2", "threads=1", "memory=32", "seed=1"];
    options.set_pairs(small).expect("known options");
    ServerConfig {
        options,
        game: None,
        searcher: None,
        log: None,
        caps: Caps {
            memory: Some(256),
            threads: Some(4),
        },
        files: false,
    }
}

/// Checks that what a server sent is whole replies, and none of them the excuse for a defect.
pub fn check_replies(output: &str) {
    assert!(!output.contains("internal error"), "{output}");
    assert!(output.is_empty() || output.ends_with("\n\n"), "{output:?}");
    let replies = output.trim_end_matches("\n\n").split("\n\n");
    for reply in replies.filter(|reply| !reply.is_empty()) {
        assert!(reply.starts_with(['=', '?']), "{reply:?}");
        assert!(reply.lines().all(|line| !line.is_empty()), "{reply:?}");
    }
}

/// This process's folder, made when it is first asked for.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let name = format!("treeline-fuzz-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder for files");
        folder
    })
}
