//! Tables made on demand and kept in the cache.

use super::super::super::rules::Kalah;
use super::super::super::side::Side;
use super::super::board::Board;
use super::bytes;
use super::file::{self, Ruleset};
use super::layer::{Below, Layer, Value};
use super::number::MOST;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use treeline_any::{MakeError, Making, Told};
use treeline_game::cache::Writer;

/// Bytes of all tables that are made unless more are asked for, and of all that may be.
const USUAL: u64 = 256 << 20;
const LARGEST: u64 = 4 << 30;
/// Between two reports.
const REPORT: Duration = Duration::from_millis(200);

/// The seeds of the smallest table, of the largest that is usually made, and of the largest that may be.
pub fn seeds<S: Side, const N: u32>(game: &Kalah<S, N>) -> [u32; 3] {
    let within = |room: u64| {
        let mut left = room;
        let fits = |seeds: &usize| {
            let fits = bytes(game, *seeds) <= left;
            left = left.saturating_sub(bytes(game, *seeds));
            fits
        };
        (2..=MOST).take_while(fits).last().unwrap_or(2) as u32
    };
    [2, within(USUAL), within(LARGEST)]
}

/// Computes the tables of up to `making.pieces` seeds that `folder` has not, or has damaged, and writes each when it is done. With
/// `making.check`, those that are there are held against the rules; wrong ones are computed again.
pub fn make<S: Side, const N: u32>(
    game: &Kalah<S, N>,
    folder: &Path,
    making: Making,
    tell: &mut dyn FnMut(Told),
) -> Result<(), MakeError> {
    let writer = Writer::of(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let rules = Ruleset::of(game);
    let mut below = Below::new(game, Vec::new());
    for seeds in 2..=making.pieces as usize {
        let name = rules.name(seeds);
        let begin = Instant::now();
        let mut line = |text| tell(Told::Line(text));
        below.reach(seeds);
        match file::read(rules, folder, seeds) {
            Ok(Some(layer)) if !making.check => {
                line(format!("{name}: there already"));
                below.layers.push(Arc::new(layer));
                continue;
            }
            Ok(Some(mut layer)) => {
                let wrong = verify(&below, &mut layer, making.threads, tell);
                let mut line = |text| tell(Told::Line(text));
                let Some(board) = wrong else {
                    let (count, seconds) = (layer.values.len(), begin.elapsed().as_secs_f64());
                    line(format!("{name}: {count} positions right, {seconds:.1} s"));
                    below.layers.push(Arc::new(layer));
                    continue;
                };
                let text = text(game, board);
                line(format!("{name}: wrong at {text}; computed again"));
            }
            Ok(None) => (),
            Err(error) => line(format!("{error}; computed again")),
        }
        let layer = compute(&below, seeds, making.threads, tell)
            .ok_or_else(|| format!("{name}: the system has not so much memory"))?;
        let size = file::write(rules, &layer, &writer, folder)?;
        let (count, seconds) = (layer.values.len(), begin.elapsed().as_secs_f64());
        tell(Told::Line(format!(
            "{name}: computed, {count} positions, {size} bytes, {seconds:.1} s"
        )));
        below.layers.push(Arc::new(layer));
    }
    Ok(())
}

/// The next layer; `None` if the system has not so much memory.
fn compute<S: Side, const N: u32>(
    below: &Below<S, N>,
    seeds: usize,
    threads: usize,
    tell: &mut dyn FnMut(Told),
) -> Option<Layer> {
    let mut layer = Layer::new(below.game.houses(), seeds)?;
    let total = layer.values.len();
    share(blocks(&mut layer), total, threads, tell, |fewer, block| {
        let ranks = 0..below.sides(fewer);
        ranks.map(move |rank| below.fill(seeds, fewer, rank, block))
    });
    Some(layer)
}

/// A position of the next layer whose value does not follow from those after its moves.
fn verify<S: Side, const N: u32>(
    below: &Below<S, N>,
    layer: &mut Layer,
    threads: usize,
    tell: &mut dyn FnMut(Told),
) -> Option<Board<S>> {
    let wrong = Mutex::new(None);
    let (seeds, total) = (layer.seeds, layer.values.len());
    share(blocks(layer), total, threads, tell, |fewer, block| {
        let (block, wrong) = (&*block, &wrong);
        let ranks = 0..below.sides(fewer);
        ranks.map(move |rank| {
            below.row(seeds, fewer, rank, |board| {
                let value = i32::from(block[below.place(board).at].0);
                if value != below.best(board, block) {
                    *wrong.lock().unwrap_or_else(PoisonError::into_inner) = Some(board);
                }
            })
        })
    });
    wrong.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The blocks of a layer, each with the seeds of the side that has fewer.
fn blocks(layer: &mut Layer) -> Vec<(usize, &mut [Value])> {
    let mut ends = layer.blocks[2..].to_vec();
    ends.push(layer.values.len());
    let mut rest = &mut layer.values[..];
    let mut begin = 0;
    let mut blocks = Vec::new();
    for (end, fewer) in ends.into_iter().zip(1..) {
        let (block, others) = std::mem::take(&mut rest).split_at_mut(end - begin);
        blocks.push((fewer, block));
        (rest, begin) = (others, end);
    }
    blocks
}

/// Goes through blocks on so many threads, the largest first: none needs another. `work` yields how many positions are done.
fn share<'a, I: Iterator<Item = usize>>(
    mut blocks: Vec<(usize, &'a mut [Value])>,
    total: usize,
    threads: usize,
    tell: &mut dyn FnMut(Told),
    work: impl Fn(usize, &'a mut [Value]) -> I + Sync,
) {
    blocks.sort_by_key(|(_, block)| block.len());
    let threads = threads.min(blocks.len());
    let (left, done) = (Mutex::new(blocks), AtomicUsize::new(0));
    let next = || {
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        left.pop()
    };
    let run = || {
        while let Some((fewer, block)) = next() {
            for count in work(fewer, block) {
                done.fetch_add(count, Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        let (ended, ends) = mpsc::channel::<()>();
        let mut running = 0;
        for _ in 0..threads {
            let ended = ended.clone();
            let thread = thread::Builder::new().spawn_scoped(scope, move || {
                run();
                drop(ended);
            });
            running += usize::from(thread.is_ok());
        }
        drop(ended);
        if running == 0 {
            run();
        }
        while ends.recv_timeout(REPORT) == Err(mpsc::RecvTimeoutError::Timeout) {
            tell(Told::Share(done.load(Relaxed) as f64 / total as f64));
        }
    });
}

/// A position for people: houses from the left, the player to move first.
fn text<S: Side, const N: u32>(game: &Kalah<S, N>, board: Board<S>) -> String {
    let side = |side: S| {
        let houses = (0..game.houses()).map(|house| side.at(8 * house).to_string());
        houses.collect::<Vec<_>>().join(",")
    };
    format!("{}:0 {}:0 b", side(board.mine), side(board.theirs))
}
