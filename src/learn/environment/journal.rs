//! What an agent remembers, on disk: each step as it is made, so that a run that was killed goes on as if it had not been.
//!
//! A folder of segments, each named by the steps that the run had made when it begins: always with an episode. A segment is a header (a
//! line of JSON) and records: the length in four bytes, then an observation with which an episode begins, or a step. Observations
//! are what changed since the one before, with the lengths of what did not. Numbers are little-endian.

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Steps after which a segment ends with the episode.
const SEGMENT: u64 = 1000;
const EXTENSION: &str = "steps";
const BEGINS: u8 = 1;
const STEP: u8 = 2;

/// A step as it is remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    pub action: u32,
    /// As it is learned.
    pub reward: f32,
    pub terminated: bool,
    /// The episode ends here, whether terminated or broken off.
    pub last: bool,
    /// What was found of the observation before.
    pub found: Vec<f32>,
}

/// What a journal tells, in order, with the observation that was seen then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    /// An episode begins after so many steps of the run.
    Begins(u64),
    Step(&'a Taken),
}

/// What the first line of a segment says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Header {
    /// Bytes of an observation, and numbers that are found of each.
    bytes: usize,
    width: usize,
    /// Steps of the run before which nothing is remembered.
    since: u64,
}

#[derive(Debug)]
struct Segment {
    file: BufWriter<File>,
    /// Steps of the run when it begins.
    start: u64,
    /// The observation before.
    before: Vec<u8>,
}

#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    header: Header,
    open: Option<Segment>,
    /// Segments that were written to since they were last safe.
    unsafe_since: Vec<u64>,
    /// The step from which on the newest checkpoint needs them.
    needed: u64,
}

impl Journal {
    /// Of observations of `bytes` and `width` numbers found of each.
    pub fn new(folder: &Path, bytes: usize, width: usize) -> Journal {
        Journal {
            folder: folder.to_path_buf(),
            header: Header {
                bytes,
                width,
                since: 0,
            },
            open: None,
            unsafe_since: Vec::new(),
            needed: 0,
        }
    }

    /// Another of the same, to be recalled.
    pub fn anew(&self) -> Journal {
        Journal::new(&self.folder, self.header.bytes, self.header.width)
    }

    /// Steps of the run before which nothing is remembered.
    pub fn since(&self) -> u64 {
        self.header.since
    }

    fn path(&self, start: u64) -> PathBuf {
        self.folder.join(format!("{start:012}.{EXTENSION}"))
    }

    /// Where segments start, in order.
    fn starts(&self) -> Result<Vec<u64>> {
        let mut starts = Vec::new();
        let named = || self.folder.display().to_string();
        for entry in fs::read_dir(&self.folder).with_context(named)? {
            let path = entry.with_context(named)?.path();
            let start = path.file_stem().and_then(|stem| stem.to_str());
            if path.extension().is_some_and(|e| e == EXTENSION) {
                starts.extend(start.and_then(|start| start.parse::<u64>().ok()));
            }
        }
        starts.sort_unstable();
        Ok(starts)
    }

    /// An episode begins after so many steps of the run; `fresh` where nothing before is remembered any more.
    pub fn begin(&mut self, steps: u64, fresh: bool, seen: &[u8]) -> Result<()> {
        if fresh {
            self.header.since = steps;
        }
        let goes_on = |segment: &Segment| !fresh && steps < segment.start + SEGMENT;
        if !self.open.as_ref().is_some_and(goes_on) {
            self.roll(steps)?;
        }
        self.write(vec![BEGINS], seen)
    }

    fn roll(&mut self, steps: u64) -> Result<()> {
        if let Some(mut segment) = self.open.take() {
            let named = || self.path(segment.start).display().to_string();
            segment.file.flush().with_context(named)?;
        }
        let path = self.path(steps);
        let named = || path.display().to_string();
        let mut file = BufWriter::new(File::create(&path).with_context(named)?);
        let line = serde_json::to_string(&self.header)? + "\n";
        file.write_all(line.as_bytes()).with_context(named)?;
        self.unsafe_since.push(steps);
        self.open = Some(Segment {
            file,
            start: steps,
            before: vec![0; self.header.bytes],
        });
        Ok(())
    }

    /// A step, and what is seen after it.
    pub fn step(&mut self, taken: &Taken, seen: &[u8]) -> Result<()> {
        let mut record = vec![STEP, u8::from(taken.terminated), u8::from(taken.last)];
        record.extend(taken.action.to_le_bytes());
        record.extend(taken.reward.to_le_bytes());
        let found = taken.found.iter().flat_map(|number| number.to_le_bytes());
        record.extend(found);
        self.write(record, seen)
    }

    fn write(&mut self, mut record: Vec<u8>, seen: &[u8]) -> Result<()> {
        let Some(segment) = &mut self.open else {
            bail!("a step before the first episode");
        };
        pack(&segment.before, seen, &mut record);
        segment.before.clear();
        segment.before.extend_from_slice(seen);
        let length = (record.len() as u32).to_le_bytes();
        let file = &mut segment.file;
        let written = file
            .write_all(&length)
            .and_then(|()| file.write_all(&record));
        written.with_context(|| self.folder.display().to_string())
    }

    /// Makes all safe before a checkpoint, which needs steps from `needed` on; what neither it nor the one before needs is removed.
    pub fn keep(&mut self, needed: u64) -> Result<()> {
        if let Some(segment) = &mut self.open {
            let flushed = segment.file.flush();
            flushed.with_context(|| self.folder.display().to_string())?;
        }
        for start in std::mem::take(&mut self.unsafe_since) {
            let path = self.path(start);
            let file = File::open(&path).and_then(|file| file.sync_all());
            file.with_context(|| path.display().to_string())?;
        }
        self.unsafe_since
            .extend(self.open.as_ref().map(|s| s.start));
        let starts = self.starts()?;
        for pair in starts.windows(2) {
            // The next begins no later than what is needed.
            if pair[1] <= self.needed.min(needed) {
                let _ = fs::remove_file(self.path(pair[0]));
            }
        }
        self.needed = needed;
        Ok(())
    }

    /// Tells what was remembered after so many steps of the run, from the step `needed` on or before; what came later is removed.
    /// Goes on behind it.
    pub fn recall(
        &mut self,
        steps: u64,
        needed: u64,
        mut tell: impl FnMut(Event<'_>, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let folder = &self.folder;
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let (kept, later): (Vec<u64>, Vec<u64>) =
            self.starts()?.into_iter().partition(|start| *start < steps);
        for start in later {
            let path = self.path(start);
            fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
        if steps == 0 {
            return Ok(());
        }
        let first = kept.iter().rposition(|start| *start <= needed);
        let kept = &kept[first.unwrap_or(0)..];
        // Where there is none, the run's steps are missing, too.
        let mut at = *kept.first().unwrap_or(&0);
        for (i, start) in kept.iter().enumerate() {
            let path = self.path(*start);
            let read = self.read(&path, at, steps, &mut tell);
            let read = read.with_context(|| path.display().to_string())?;
            // Nothing older is there: it must not have been needed.
            if *start != at || (i == 0 && *start > needed.max(read.since)) {
                let folder = self.folder.display();
                bail!("{folder}: the steps before {start} that the checkpoint needs are missing");
            }
            at = read.steps;
            if i + 1 == kept.len() {
                self.go_on(&path, *start, read)
                    .with_context(|| path.display().to_string())?;
            }
        }
        self.needed = needed.max(self.header.since);
        match at == steps {
            true => Ok(()),
            false => bail!(
                "{}: the steps from {at} to {steps} that the checkpoint needs are missing",
                self.folder.display()
            ),
        }
    }

    /// Opens the last segment behind what was read of it.
    fn go_on(&mut self, path: &Path, start: u64, read: Read) -> Result<()> {
        let file = OpenOptions::new().append(true).open(path)?;
        file.set_len(read.length)?;
        self.header.since = read.since;
        self.unsafe_since.push(start);
        self.open = Some(Segment {
            file: BufWriter::new(file),
            start,
            before: read.before,
        });
        Ok(())
    }

    /// Tells a segment that begins at `at` steps, as far as `steps`.
    fn read(
        &self,
        path: &Path,
        mut at: u64,
        steps: u64,
        tell: &mut impl FnMut(Event<'_>, &[u8]) -> Result<()>,
    ) -> Result<Read> {
        let broken = || anyhow!("it is no journal of this run's steps");
        let text = fs::read(path)?;
        let line = text.iter().position(|byte| *byte == b'\n');
        let mut left = line.map(|end| &text[end + 1..]).ok_or_else(broken)?;
        let header = serde_json::from_slice(&text[..line.unwrap_or(0)]);
        let header: Header = header.map_err(|_| broken())?;
        if (header.bytes, header.width) != (self.header.bytes, self.header.width) {
            bail!("its observations are not those of this environment");
        }
        let mut before = vec![0; header.bytes];
        while at < steps && !left.is_empty() {
            let (length, rest) = left.split_first_chunk::<4>().ok_or_else(broken)?;
            let length = u32::from_le_bytes(*length) as usize;
            let record = rest.get(..length).ok_or_else(broken)?;
            left = &rest[length..];
            let (taken, packed) = parted(record, header.width).ok_or_else(broken)?;
            unpack(packed, &mut before).ok_or_else(broken)?;
            match &taken {
                None => tell(Event::Begins(at), &before)?,
                Some(taken) => {
                    at += 1;
                    tell(Event::Step(taken), &before)?;
                }
            }
        }
        Ok(Read {
            since: header.since,
            steps: at,
            length: (text.len() - left.len()) as u64,
            before,
        })
    }
}

/// What was read of a segment.
struct Read {
    since: u64,
    /// Steps of the run behind it.
    steps: u64,
    /// Bytes.
    length: u64,
    before: Vec<u8>,
}

/// A record's step, none where an episode begins, and its observation.
fn parted(record: &[u8], width: usize) -> Option<(Option<Taken>, &[u8])> {
    match record {
        [BEGINS, packed @ ..] => Some((None, packed)),
        [STEP, terminated, last, rest @ ..] => {
            let (action, rest) = rest.split_first_chunk::<4>()?;
            let (reward, rest) = rest.split_first_chunk::<4>()?;
            let found = rest.get(..4 * width)?.chunks_exact(4);
            let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            let taken = Taken {
                action: u32::from_le_bytes(*action),
                reward: f32::from_le_bytes(*reward),
                terminated: *terminated != 0,
                last: *last != 0,
                found: found.map(number).collect(),
            };
            Some((Some(taken), &rest[4 * width..]))
        }
        _ => None,
    }
}

/// Adds what changed: over and over how many bytes did not, how many did, and those.
fn pack(before: &[u8], now: &[u8], out: &mut Vec<u8>) {
    let same = |at: usize| before.get(at) == Some(&now[at]);
    let most = usize::from(u16::MAX);
    let mut at = 0;
    while at < now.len() {
        let run = |from: usize, wanted: bool| {
            let rest = (from..now.len()).take(most);
            rest.take_while(|at| same(*at) == wanted).count()
        };
        let kept = run(at, true);
        let changed = run(at + kept, false);
        out.extend((kept as u16).to_le_bytes());
        out.extend((changed as u16).to_le_bytes());
        out.extend_from_slice(&now[at + kept..at + kept + changed]);
        at += kept + changed;
    }
}

/// Changes an observation as [`pack`] says; none where that does not fit.
fn unpack(mut packed: &[u8], seen: &mut [u8]) -> Option<()> {
    let mut at = 0;
    while let [a, b, c, d, rest @ ..] = packed {
        let [kept, changed] = [[*a, *b], [*c, *d]].map(|n| usize::from(u16::from_le_bytes(n)));
        at += kept;
        seen.get_mut(at..at + changed)?
            .copy_from_slice(rest.get(..changed)?);
        at += changed;
        packed = &rest[changed..];
    }
    (packed.is_empty() && at == seen.len()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_come_back_from_what_changed() {
        let long: Vec<u8> = (0..200_000u32).map(|i| (i / 90_000) as u8 * 7).collect();
        for (before, now) in [
            (vec![0; 5], vec![0; 5]),
            (vec![0; 5], vec![1, 0, 2, 2, 0]),
            (vec![9, 8, 7], vec![1, 8, 3]),
            (vec![0; 200_000], long.clone()),
            (long, vec![3; 200_000]),
        ] {
            let (mut packed, mut back) = (Vec::new(), before.clone());
            pack(&before, &now, &mut packed);
            assert_eq!(unpack(&packed, &mut back), Some(()));
            assert_eq!(back, now);
            assert!(packed.is_empty() || unpack(&packed[1..], &mut back).is_none());
        }
    }

    /// Episodes of 300 steps, each step with its own number; with what is told of them.
    fn written(journal: &mut Journal, steps: std::ops::Range<u64>) {
        for at in steps {
            if at % 300 == 0 {
                journal.begin(at, at == 600, &[0, 0]).unwrap();
            }
            journal.step(&taken(at), &seen(at)).unwrap();
        }
    }

    fn taken(at: u64) -> Taken {
        Taken {
            action: at as u32,
            reward: at as f32,
            terminated: at % 600 == 599,
            last: at % 300 == 299,
            found: vec![0.5 * at as f32],
        }
    }

    fn seen(at: u64) -> [u8; 2] {
        (at as u16).to_le_bytes()
    }

    /// The steps that are told, which must be right.
    fn told(folder: &Path, steps: u64, needed: u64) -> Result<(Journal, Vec<u64>)> {
        let mut journal = Journal::new(folder, 2, 1);
        let (mut at, mut all) = (0, Vec::new());
        journal.recall(steps, needed, |event, now| {
            match event {
                Event::Begins(begun) => at = begun,
                Event::Step(step) => {
                    assert_eq!((step, now), (&taken(at), &seen(at)[..]));
                    all.push(at);
                    at += 1;
                }
            }
            Ok(())
        })?;
        Ok((journal, all))
    }

    #[test]
    fn what_a_checkpoint_needs_is_told_and_gone_on_with() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let (mut journal, all) = told(folder, 0, 0).unwrap();
        assert!(all.is_empty());
        written(&mut journal, 0..700);
        journal.keep(600).unwrap();
        written(&mut journal, 700..800);
        drop(journal);
        // Nothing before 600 is remembered, and what came behind the checkpoint is not told.
        let (mut journal, all) = told(folder, 700, 600).unwrap();
        assert!(all.iter().copied().eq(600..700));
        written(&mut journal, 700..4500);
        journal.keep(2000).unwrap();
        journal.keep(3300).unwrap();
        drop(journal);
        // Segments begin at 0, 600, 1800, 3000 and 4200.
        let (_, all) = told(folder, 4500, 3300).unwrap();
        assert!(all.iter().copied().eq(3000..4500));
        let (_, all) = told(folder, 4500, 2000).unwrap();
        assert!(all.iter().copied().eq(1800..4500));
        let error = told(folder, 4500, 1000).unwrap_err().to_string();
        assert!(error.contains("steps before 1800"), "{error}");
        let error = told(folder, 5000, 3300).unwrap_err().to_string();
        assert!(error.contains("from 4500 to 5000"), "{error}");
        let path = folder.join("000000003000.steps");
        fs::write(&path, &fs::read(&path).unwrap()[..100]).unwrap();
        let error = told(folder, 4500, 3300).unwrap_err().to_string();
        assert!(error.contains("3000.steps"), "{error}");
    }
}
