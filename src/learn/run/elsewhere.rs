//! Pieces that are done elsewhere: requests go out, answers come in, a JSON object a line, and what is taken was checked. Whoever
//! carries them knows neither schedule nor folder. All paths are relative to the run's folder.

use crate::learn::folder::Folder;
use crate::learn::pieces::{Answer, File, Outcome, Piece, Receipt, Request, program};
use crate::learn::watch::{Due, Score};
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// How often a piece is asked for before its failure ends the run.
const TRIES: u32 = 4;

/// How a run reaches whoever does its pieces.
pub struct Wire {
    /// Where lines are said.
    pub say: Box<dyn Write>,
    /// The lines that are heard; it ends with who says them.
    pub hear: Receiver<std::io::Result<String>>,
}

/// A piece that was asked for.
struct Asked {
    request: Request,
    tries: u32,
    /// Who answered last, for messages.
    by: String,
}

/// A piece that was done, whose files are those of its receipt. It is to be settled, or asked for again.
pub struct Done {
    pub id: u64,
    pub piece: Piece,
    pub receipt: Receipt,
}

/// Matches that go on beside everything else.
struct Meeting {
    dues: Vec<(Due, Option<Score>)>,
    /// Which of them each request is for.
    numbers: BTreeMap<u64, usize>,
}

/// What is asked for and not yet there.
pub struct Elsewhere {
    folder: Folder,
    wire: Wire,
    next: u64,
    asked: BTreeMap<u64, Asked>,
    meeting: Option<Meeting>,
}

impl Elsewhere {
    /// Says which program this is, and begins with an empty folder for what comes.
    pub fn open(folder: &Folder, wire: Wire) -> Result<Elsewhere> {
        let mut elsewhere = Elsewhere {
            folder: folder.clone(),
            wire,
            next: 1,
            asked: BTreeMap::new(),
            meeting: None,
        };
        elsewhere.sweep();
        let desk = folder.elsewhere();
        fs::create_dir_all(&desk).with_context(|| desk.display().to_string())?;
        elsewhere.say(&json!({ "program": program() }))?;
        Ok(elsewhere)
    }

    /// Removes what pieces left.
    pub fn sweep(&self) {
        let _ = fs::remove_dir_all(self.folder.elsewhere());
    }

    fn say<T: serde::Serialize>(&mut self, what: &T) -> Result<()> {
        let line = serde_json::to_string(what)?;
        let said = writeln!(self.wire.say, "{line}").and_then(|()| self.wire.say.flush());
        said.context("whoever does the pieces is gone; the same command goes on")
    }

    /// The path of something in the run's folder, from there.
    pub fn inside(&self, path: &Path) -> PathBuf {
        let inside = path.strip_prefix(self.folder.path());
        inside.unwrap_or(path).to_path_buf()
    }

    /// A folder of the run for what pieces read, from there: it stays until the run ends.
    pub fn desk(&self, name: &str) -> (PathBuf, PathBuf) {
        let path = self.folder.elsewhere().join(name);
        (self.inside(&path), path)
    }

    /// Asks for a piece, which is made of the folder for its files; `reads` are paths in the run's folder.
    pub fn ask(&mut self, reads: &[PathBuf], piece: impl FnOnce(PathBuf) -> Piece) -> Result<u64> {
        let id = self.next;
        self.next += 1;
        let (out, _) = self.desk(&id.to_string());
        let reads = std::iter::once(&self.folder.config())
            .chain(reads)
            .map(|path| self.inside(path))
            .collect();
        let request = Request {
            id,
            piece: piece(out),
            reads,
        };
        self.say(&request)?;
        let asked = Asked {
            request,
            tries: 1,
            by: String::new(),
        };
        self.asked.insert(id, asked);
        Ok(id)
    }

    /// Asks for a piece once more, since what came was not it; an error after some tries.
    pub fn again(&mut self, id: u64, why: &anyhow::Error, line: &dyn Fn(&str)) -> Result<()> {
        let Some(asked) = self.asked.get_mut(&id) else {
            return Ok(());
        };
        let (what, by) = (name(&asked.request.piece), &asked.by);
        if asked.tries >= TRIES {
            bail!("{what} failed {TRIES} times, at last since: {by}{why:#}");
        }
        asked.tries += 1;
        line(&format!("{what} is done again: {by}{why:#}"));
        let request = asked.request.clone();
        self.say(&request)
    }

    /// What came of a piece is taken, and its files are not needed any more.
    pub fn settle(&mut self, id: u64) {
        self.asked.remove(&id);
        let _ = fs::remove_dir_all(self.desk(&id.to_string()).1);
    }

    /// Nobody waits any more for pieces of this kind.
    pub fn forget(&mut self, which: impl Fn(&Piece) -> bool) -> Result<()> {
        let of_kind = |(id, asked): (&u64, &Asked)| which(&asked.request.piece).then_some(*id);
        let ids: Vec<u64> = self.asked.iter().filter_map(of_kind).collect();
        ids.iter().for_each(|id| self.settle(*id));
        match ids.is_empty() {
            true => Ok(()),
            false => self.say(&json!({ "drop": ids })),
        }
    }

    /// The next portion or training that was done, if one comes soon; matches go where they belong. What fails or is not whole
    /// is asked for again, with a line.
    pub fn hear(&mut self, line: &dyn Fn(&str)) -> Result<Option<Done>> {
        let text = match self.wire.hear.recv_timeout(Duration::from_millis(200)) {
            Ok(text) => text?,
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                bail!("whoever does the pieces is gone; the same command goes on")
            }
        };
        let answer: Answer = serde_json::from_str(&text)
            .with_context(|| format!("no answer: {}", crate::options::shorten(&text)))?;
        let id = answer.id;
        let Some(asked) = self.asked.get_mut(&id) else {
            // It was dropped, or came twice.
            return Ok(None);
        };
        let piece = asked.request.piece.clone();
        let by = answer.by.map_or_else(String::new, |by| format!("{by}: "));
        asked.by.clone_from(&by);
        let checked = match (answer.receipt, answer.error) {
            (Some(receipt), None) => {
                if receipt.program != program() {
                    bail!(
                        "{by}{} was done by '{}', and this run is worked on by '{}': put the same file of the program on all \
                         machines; nothing is lost, and the same command goes on",
                        name(&piece),
                        receipt.program,
                        program()
                    );
                }
                self.check(out(&piece), &receipt.files).map(|()| receipt)
            }
            (_, Some(error)) => Err(anyhow!(error)),
            (None, None) => Err(anyhow!("there is neither a receipt nor an error")),
        };
        let done = checked.and_then(|receipt| self.met(Done { id, piece, receipt }));
        match done {
            Ok(done) => Ok(done),
            Err(error) => self.again(id, &error, line).map(|()| None),
        }
    }

    /// Whether the files of a receipt lie in the piece's folder, as they were made.
    fn check(&self, out: &Path, files: &[File]) -> Result<()> {
        for file in files {
            let plain = |part| matches!(part, Component::Normal(_));
            ensure!(
                file.path.starts_with(out) && file.path.components().all(plain),
                "{}: it does not lie in {}",
                file.path.display(),
                out.display()
            );
            file.check(&self.folder.path().join(&file.path))?;
        }
        Ok(())
    }

    /// Takes what came of a match, and passes on what is none.
    fn met(&mut self, done: Done) -> Result<Option<Done>> {
        let Piece::Match(played) = &done.piece else {
            return Ok(Some(done));
        };
        let path = self.folder.path().join(&played.out);
        let text = fs::read(&path).with_context(|| path.display().to_string())?;
        let Outcome { first, second } =
            serde_json::from_slice(&text).with_context(|| path.display().to_string())?;
        if let Some(meeting) = &mut self.meeting
            && let Some(number) = meeting.numbers.get(&done.id)
        {
            meeting.dues[*number].1 = Some(Score { first, second });
        }
        self.settle(done.id);
        Ok(None)
    }

    /// Begins with matches, each of which `piece` makes of the file for its result and of the files that it reads.
    pub fn meet(
        &mut self,
        dues: Vec<Due>,
        piece: impl Fn(&Due, PathBuf) -> (Piece, Vec<PathBuf>),
    ) -> Result<()> {
        let mut numbers = BTreeMap::new();
        for (number, due) in dues.iter().enumerate() {
            let reads = piece(due, PathBuf::new()).1;
            let id = self.ask(&reads, |out| piece(due, out.join("result.json")).0)?;
            numbers.insert(id, number);
        }
        let dues = dues.into_iter().map(|due| (due, None)).collect();
        self.meeting = Some(Meeting { dues, numbers });
        Ok(())
    }

    /// Whether matches go on, or wait to be recorded.
    pub fn meets(&self) -> bool {
        self.meeting.is_some()
    }

    /// The matches that went on, when all of them are over.
    pub fn met_all(&mut self) -> Option<Vec<(Due, Score)>> {
        let meeting = self.meeting.as_ref()?;
        let over = |(due, score): &(Due, Option<Score>)| Some((due.clone(), (*score)?));
        let scores = meeting.dues.iter().map(over).collect::<Option<Vec<_>>>()?;
        self.meeting = None;
        Some(scores)
    }
}

/// The folder that a piece's files are written to.
fn out(piece: &Piece) -> &Path {
    match piece {
        Piece::Portion(portion) => &portion.out,
        Piece::Train(train) => &train.out,
        Piece::Match(played) => played.out.parent().unwrap_or(&played.out),
    }
}

/// What a piece is called in messages.
fn name(piece: &Piece) -> String {
    match piece {
        Piece::Portion(portion) => format!("portion {}", portion.portion().name()),
        Piece::Train(train) => format!("the training on {} portions", train.portions.len()),
        Piece::Match(played) => match &played.other {
            Some(other) => format!("the match against {}", other.display()),
            None => format!("the match against {}", played.opponent),
        },
    }
}
