//! The kernel in plain loops: what the others must equal, and what runs where they cannot.

use super::accumulator::{Accumulator, Changes};
use super::batch::Batch;
use super::layout::{LANES, Line};
use super::net::Net;
use super::quantise::ONE;
use super::tail;

/// Adds and subtracts the rows in both views. Wraps, so that the order cannot matter even in between.
pub fn shift(net: &Net, changes: &Changes, values: &mut [Line]) {
    let lines = net.width() / 32;
    for (side, values) in values.chunks_exact_mut(lines).enumerate() {
        let (added, removed) = changes.get();
        for row in added {
            for (value, weight) in values.iter_mut().zip(row_of(net, row[side])) {
                for (value, weight) in value.0.iter_mut().zip(&weight.0) {
                    *value = value.wrapping_add(*weight);
                }
            }
        }
        for row in removed {
            for (value, weight) in values.iter_mut().zip(row_of(net, row[side])) {
                for (value, weight) in value.0.iter_mut().zip(&weight.0) {
                    *value = value.wrapping_sub(*weight);
                }
            }
        }
    }
}

fn row_of(net: &Net, row: u32) -> &[Line] {
    &net.numbers.table[row as usize / 32..][..net.width() / 32]
}

/// An accumulator's number as an activation.
#[inline(always)]
fn activation(value: i16, multiplier: i16) -> u8 {
    let scaled = (i32::from(value) * i32::from(multiplier) + (1 << 14)) >> 15;
    scaled.clamp(0, ONE) as u8
}

/// Fills the batch's values.
pub fn evaluate(net: &Net, base: &Accumulator, batch: &mut Batch) {
    let numbers = &net.numbers;
    let (words, lines, inputs) = (net.words(), net.width() / 32, 2 * net.width());
    let mut next = base.values.clone();
    let mut activations = vec![0u8; inputs];
    let children = batch.words.chunks_exact(words).zip(&batch.movers);
    for ((words, mover), value) in children.zip(&mut batch.values) {
        let changes = &mut batch.room.changes;
        let anew = changes.find(&base.words, words, &net.rows);
        next.copy_from_slice(if anew { &net.blank } else { &base.values });
        shift(net, changes, &mut next);
        let (one, two) = next.split_at(lines);
        let halves = if *mover { [two, one] } else { [one, two] };
        let all = halves.into_iter().flatten().flat_map(|line| line.0);
        for (activation, value) in activations.iter_mut().zip(all) {
            *activation = self::activation(value, numbers.multiplier);
        }
        let mut terms = [0.0; LANES];
        let (stage, blocks) = (numbers.stage(words), numbers.padded / LANES);
        let all = numbers.layer1.chunks_exact(LANES * inputs).enumerate();
        for (block, rows) in all.skip(stage * blocks).take(blocks) {
            let mut sums = [0; LANES];
            for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(inputs)) {
                let products = row.iter().zip(&activations);
                *sum = products.map(|(w, a)| i32::from(*w) * i32::from(*a)).sum();
            }
            tail::add_block(numbers, block, &sums, &mut terms);
        }
        *value = tail::tanh(tail::total(&terms, numbers.layer2_bias[stage]));
    }
}
