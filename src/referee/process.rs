//! An engine's process: a group of its own that is killed as a whole, a log of what was said, nothing that can block for ever.

use crate::threads::{self, Panicked};
use anyhow::{Result, anyhow, bail};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use process_wrap::std::{ChildWrapper, CommandWrap};

/// A log that has this many bytes says no more, however often its engine is started.
const MOST_LOG: u64 = 16 << 20;
/// How long an engine may leave its input unread when it is full.
const FULL_PIPE: Duration = Duration::from_secs(10);
/// How long the end of standard error is waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How long a killed process may take to be gone.
const LAST_BREATH: Duration = Duration::from_secs(5);

/// An engine with all that it started: a process group, on Windows a job.
type Group = Arc<Mutex<Box<dyn ChildWrapper>>>;

/// Groups that run now, so that the end of the referee is theirs; `None` after that end, when nothing starts any more.
static GROUPS: Mutex<Option<Vec<Group>>> = Mutex::new(Some(Vec::new()));

/// Kills every engine at once, for good. For the end of the referee: what the engines' games come to is not known then.
pub fn kill_all() {
    for group in GROUPS.lock().take().unwrap_or_default() {
        // One that is gone already needs no killing.
        let _ = group.lock().start_kill();
    }
}

/// What was said, with the seconds since the log began.
#[derive(Debug, Clone)]
pub struct Log(Option<Arc<Mutex<Lines>>>);

#[derive(Debug)]
struct Lines {
    file: File,
    written: u64,
    begun: Instant,
}

impl Log {
    /// Adds to the file at `path`; no log without one.
    pub fn open(path: Option<&Path>) -> io::Result<Self> {
        let Some(path) = path else {
            return Ok(Log(None));
        };
        let file = File::options().create(true).append(true).open(path)?;
        let written = file.metadata()?.len();
        Ok(Log(Some(Arc::new(Mutex::new(Lines {
            file,
            written,
            begun: Instant::now(),
        })))))
    }

    /// `mark` says whose line it is: `>` to the engine, `<` from it, `!` from its standard error, `#` the referee's.
    pub fn say(&self, mark: char, text: &str) {
        let Some(lines) = &self.0 else { return };
        let mut lines = lines.lock();
        if lines.written > MOST_LOG {
            return;
        }
        let seconds = lines.begun.elapsed().as_secs_f64();
        for line in text.lines() {
            lines.written += line.len() as u64 + 16;
            // A full disk must not end a match.
            let _ = writeln!(lines.file, "{seconds:9.3} {mark} {line}");
        }
        if lines.written > MOST_LOG {
            let _ = writeln!(lines.file, "{seconds:9.3} # the rest is left out");
        }
    }
}

/// How to start an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub words: Vec<String>,
    pub directory: Option<PathBuf>,
    pub environment: Vec<(String, String)>,
}

impl Program {
    /// Whether there is such a program; the error says why not.
    pub fn check(&self) -> Result<()> {
        let name = self.words.first().map_or("", String::as_str);
        if let Some(directory) = &self.directory
            && !directory.is_dir()
        {
            let directory = directory.display();
            bail!("there is no directory '{directory}' to run it in");
        }
        let candidates: Vec<PathBuf> = match name.contains('/') {
            true => {
                let directory = self.directory.as_deref().unwrap_or(Path::new(""));
                vec![directory.join(name)]
            }
            false => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                let folders = std::env::split_paths(&path);
                folders.map(|folder| folder.join(name)).collect()
            }
        };
        let files: Vec<&PathBuf> = candidates.iter().filter(|path| path.is_file()).collect();
        match files.iter().any(|path| is_executable(path)) {
            true => Ok(()),
            false if files.is_empty() => Err(anyhow!("there is no program '{name}'")),
            false => Err(anyhow!("'{name}' is a file that cannot be executed")),
        }
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_path: &Path) -> bool {
    true
}

/// A running engine.
#[derive(Debug)]
pub struct Process {
    group: Group,
    pub log: Log,
    last_words: Arc<Mutex<LastWords>>,
}

/// The end of what an engine wrote to its standard error.
#[derive(Debug, Default)]
struct LastWords {
    line: String,
    over: bool,
}

impl Process {
    /// Starts a program; its output and its input come with it.
    pub fn start(program: &Program, log: Log) -> io::Result<(Self, ChildStdout, Input)> {
        let (name, arguments) = match program.words.split_first() {
            Some((name, arguments)) => (name, arguments),
            None => return Err(io::Error::new(io::ErrorKind::InvalidInput, "no command")),
        };
        let mut command = Command::new(name);
        command.args(arguments).envs(program.environment.clone());
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        let (group, pipes) = {
            let mut groups = GROUPS.lock();
            let Some(groups) = groups.as_mut() else {
                return Err(io::Error::other("the match is over"));
            };
            let mut child = command.spawn()?;
            let pipes = (
                child.stdin().take(),
                child.stdout().take(),
                child.stderr().take(),
            );
            let group = Arc::new(Mutex::new(child));
            groups.push(Arc::clone(&group));
            (group, pipes)
        };
        log.say('#', &format!("started: {}", program.words.join(" ")));
        // From here on dropping it ends it.
        let process = Process {
            group,
            log,
            last_words: Arc::default(),
        };
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(io::Error::other("the child has no pipes"));
        };
        let (errors_log, last_words) = (process.log.clone(), process.last_words.clone());
        thread::Builder::new()
            .name("engine-stderr".into())
            .spawn(move || {
                let copy = || -> Result<(), Panicked> {
                    copy(errors, &errors_log, &last_words);
                    Ok(())
                };
                if let Err(error) = threads::caught(copy) {
                    log::error!("an engine's standard error is no longer read: {error}");
                }
                last_words.lock().over = true;
            })?;
        Ok((process, output, Input::new(input)?))
    }

    /// The last line of standard error of a process that is ending, for messages.
    pub fn last_words(&self) -> String {
        let deadline = Instant::now() + LAST_WORDS;
        while !self.last_words.lock().over && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
        self.last_words.lock().line.clone()
    }

    /// Waits for the process to end by itself; whether it did.
    pub fn wait(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        loop {
            let ended = leader(&mut **self.group.lock()).try_wait();
            match ended {
                Ok(Some(status)) => {
                    self.log.say('#', &format!("ended: {status}"));
                    return true;
                }
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                _ => return false,
            }
        }
    }
}

/// Who was started. Not asked for the whole group: its orphans may be our children, see [`super::orphans`], and to wait for them
/// would be to wait for whatever an engine leaves behind.
fn leader(group: &mut dyn ChildWrapper) -> &mut dyn ChildWrapper {
    #[cfg(unix)]
    return group.inner_mut();
    #[cfg(not(unix))]
    group
}

impl Drop for Process {
    fn drop(&mut self) {
        // The group goes even where the leader is gone: what it started has no business any more.
        let _ = self.group.lock().start_kill();
        if !self.wait(LAST_BREATH) {
            log::warn!("process {} cannot be ended", self.group.lock().id());
        }
        if let Some(groups) = GROUPS.lock().as_mut() {
            groups.retain(|group| !Arc::ptr_eq(group, &self.group));
        }
    }
}

/// An engine's standard error, copied to its log line by line and otherwise thrown away but for the last line.
fn copy(mut errors: impl Read, log: &Log, last_words: &Mutex<LastWords>) {
    let mut line = Vec::new();
    let mut buffer = [0; 4096];
    let say = |line: &mut Vec<u8>| {
        let text = String::from_utf8_lossy(line).trim().to_string();
        line.clear();
        if !text.is_empty() {
            log.say('!', &text);
            last_words.lock().line = text;
        }
    };
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        for byte in &buffer[..count] {
            match *byte {
                b'\n' => say(&mut line),
                byte => line.push(byte),
            }
            if line.len() > 1000 {
                say(&mut line);
            }
        }
    }
    say(&mut line);
}

/// An engine's standard input. A write fails after a while where the engine does not read.
#[derive(Debug)]
pub struct Input(ChildStdin);

impl Input {
    fn new(input: ChildStdin) -> io::Result<Self> {
        #[cfg(unix)]
        rustix::io::ioctl_fionbio(&input, true)?;
        Ok(Input(input))
    }
}

impl Write for Input {
    #[cfg(unix)]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let deadline = Instant::now() + FULL_PIPE;
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => return other,
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = Timespec::try_from(left).map_err(io::Error::other)?;
            let ready = poll(&mut [PollFd::new(&self.0, PollFlags::OUT)], Some(&wait))?;
            if ready == 0 {
                let message = "the engine does not read its input";
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
        }
    }

    #[cfg(not(unix))]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_ends_at_its_size_however_often_it_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let line = "x".repeat(1 << 20);
        for _ in 0..20 {
            let log = Log::open(Some(&path)).unwrap();
            log.say('<', &line);
            log.say('<', &line);
        }
        let length = path.metadata().unwrap().len();
        assert!(
            (MOST_LOG..MOST_LOG + (2 << 20)).contains(&length),
            "{length}"
        );
    }
}
