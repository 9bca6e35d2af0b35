//! The engine as its users have it: the real binary behind pipes, or the server fed with bytes.

pub mod inc_net;
pub mod matches;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::Duration;
use treeline::options::Values;
use treeline::server::{self, ServerConfig, Source};
use treeline::session::Caps;
use treeline::session::options::SPECS;
use treeline_protocol::{Client, ClientError, spawn};

/// Long enough for a loaded machine; no test waits so long when all is well.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The program, without what this machine's user has in a cache.
fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
    command.args(arguments).env("TREELINE_CACHE", "");
    command
}

/// The program with pipes: what it reads, and its lines.
pub fn piped(arguments: &[&str]) -> (Child, ChildStdin, impl Iterator<Item = String> + use<>) {
    let mut command = program(arguments);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.spawn().expect("the binary starts");
    let stdin = child.stdin.take().expect("a pipe");
    let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    (child, stdin, stdout.lines().map(Result::unwrap))
}

/// What the program makes of `input`.
pub fn run(arguments: &[&str], input: &str) -> Output {
    let mut command = program(arguments);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // Who refuses its arguments ends without reading.
    if let Err(error) = stdin.write_all(input.as_bytes()) {
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    }
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// A running engine.
pub struct Engine {
    pub child: Child,
    pub client: Client<ChildStdout, ChildStdin>,
}

impl Engine {
    /// Without what this machine's user has in a cache.
    pub fn start(arguments: &[&str]) -> Self {
        Self::with_cache("", arguments)
    }

    pub fn with_cache(folder: &str, arguments: &[&str]) -> Self {
        let mut command = program(arguments);
        if !arguments.iter().any(|word| word.contains("memory")) {
            // What a machine bears takes the system seconds to give, engine by engine.
            command.args(["--set", "memory=64"]);
        }
        command.stderr(Stdio::inherit());
        command.env("TREELINE_CACHE", folder);
        let (child, client) = spawn(&mut command).expect("the binary starts");
        Engine { child, client }
    }

    /// The reply to a command that must succeed.
    pub fn ok(&mut self, line: &str) -> String {
        match self.client.call(line, PATIENCE) {
            Ok(text) => text,
            Err(error) => panic!("{line}: {error}"),
        }
    }

    /// The reason for which a command is refused.
    pub fn refused(&mut self, line: &str) -> String {
        match self.client.call(line, PATIENCE) {
            Err(ClientError::Refused { text, .. }) => text,
            other => panic!("{line} was not refused: {other:?}"),
        }
    }

    /// A number out of `search_stats`.
    pub fn stat(&mut self, name: &str) -> f64 {
        let stats: serde_json::Value = serde_json::from_str(&self.ok("search_stats")).unwrap();
        stats[name]
            .as_f64()
            .unwrap_or_else(|| panic!("{name} in {stats}"))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Settings under which everything is small and nothing lasts.
pub fn small_settings() -> ServerConfig {
    let mut options = Values::new(SPECS);
    options
        .set_pairs([
            "simulations=4",
            "threads=1",
            "memory=32",
            "linger=0",
            "seed=1",
        ])
        .unwrap();
    ServerConfig {
        options,
        game: None,
        searcher: None,
        log: None,
        caps: Caps::default(),
        files: false,
    }
}

/// What the server writes when it reads `input` and then the end of input.
pub fn dialogue(input: &[u8], settings: &ServerConfig) -> String {
    let mut output = Vec::new();
    server::serve(
        std::io::Cursor::new(input.to_vec()),
        &mut output,
        settings,
        Source::Pipe,
    )
    .unwrap();
    String::from_utf8(output).expect("replies are UTF-8")
}

/// Splits output into frames and checks each: `=` or `?` first, exactly one blank line at the end, none inside.
pub fn frames(output: &str) -> Vec<&str> {
    if output.is_empty() {
        return Vec::new();
    }
    assert!(
        output.ends_with("\n\n"),
        "the last frame is not complete: {output:?}"
    );
    let frames: Vec<&str> = output[..output.len() - 2].split("\n\n").collect();
    for frame in &frames {
        assert!(
            frame.starts_with(['=', '?']),
            "no status: {frame:?} in {output:?}"
        );
        assert!(!frame.contains('\r') && !frame.contains('\0'), "{frame:?}");
        assert!(frame.lines().all(|line| !line.is_empty()), "{frame:?}");
    }
    frames
}

/// A server on a port that the system chooses.
pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    pub fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
            .args(["--listen", "0"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.trim().rsplit(' ').next().unwrap().to_string();
        Server { child, address }
    }

    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).unwrap()
    }

    /// How many threads the process has now; `None` where the system does not say.
    pub fn threads(&self) -> Option<usize> {
        let tasks = format!("/proc/{}/task", self.child.id());
        std::fs::read_dir(tasks).ok().map(Iterator::count)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A cache with endgame tables of up to so many pieces or seeds.
pub fn endgame_cache(game: &str, pieces: &str) -> tempfile::TempDir {
    let cache = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
    command.env("TREELINE_CACHE", cache.path());
    command.args(["endgame", game, "--pieces", pieces]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    cache
}
