//! What costs little beside the products, in plain code: orders of numbers, tanh, sums, pooling.

use super::super::graph::{Act, Shape};
use super::super::layout::Layout;

/// One item from channels first, as callers have it, into its layout.
pub(in crate::cpu) fn channels_last(layout: &Layout, from: &[f32], to: &mut [f32]) {
    let Shape {
        channels,
        rows,
        columns,
    } = layout.shape;
    for row in 0..rows {
        let at = layout.place(row, 0, 0) * layout.step;
        let to = &mut to[at..at + columns * layout.step];
        for channel in 0..channels {
            let from = &from[(channel * rows + row) * columns..][..columns];
            for (to, from) in to[channel..].iter_mut().step_by(layout.step).zip(from) {
                *to = *from;
            }
        }
    }
}

/// The other way.
pub(in crate::cpu) fn channels_first(layout: &Layout, from: &[f32], to: &mut [f32]) {
    let Shape {
        channels,
        rows,
        columns,
    } = layout.shape;
    for row in 0..rows {
        for column in 0..columns {
            let from = &from[layout.place(row, column, 0) * layout.step..][..channels];
            for (channel, from) in from.iter().enumerate() {
                to[(channel * rows + row) * columns + column] = *from;
            }
        }
    }
}

/// Where each place of an item lies.
pub(in crate::cpu) fn starts(layout: &Layout) -> impl Iterator<Item = usize> {
    let Shape { rows, columns, .. } = layout.shape;
    let place = move |row, column| layout.place(row, column, 0) * layout.step;
    (0..rows).flat_map(move |row| (0..columns).map(move |column| place(row, column)))
}

pub(in crate::cpu) fn apply(act: Act, x: f32) -> f32 {
    match act {
        Act::None => x,
        Act::Relu => x.max(0.0),
        Act::Tanh => x.tanh(),
    }
}

pub(super) fn tanh(layout: &Layout, items: usize, buffer: &mut [f32]) {
    for item in buffer.chunks_exact_mut(layout.item()).take(items) {
        for start in starts(layout) {
            for x in &mut item[start..start + layout.shape.channels] {
                *x = x.tanh();
            }
        }
    }
}

/// The input plus the residual.
pub(super) fn copy(
    act: Act,
    items: usize,
    (from, input): (&Layout, &[f32]),
    residual: Option<(&Layout, &[f32])>,
    (to, output): (&Layout, &mut [f32]),
) {
    let channels = to.shape.channels;
    let other = residual.map_or(from, |(layout, _)| layout);
    for item in 0..items {
        let places = starts(to).zip(starts(from)).zip(starts(other));
        for ((t, f), r) in places {
            let to = &mut output[item * to.item() + t..][..channels];
            to.copy_from_slice(&input[item * from.item() + f..][..channels]);
            if let Some((layout, residual)) = residual {
                let residual = &residual[item * layout.item() + r..][..channels];
                to.iter_mut().zip(residual).for_each(|(x, more)| *x += more);
            }
            if act != Act::None {
                to.iter_mut().for_each(|x| *x = apply(act, *x));
            }
        }
    }
}

/// Each channel's mean, then each channel's maximum.
pub(super) fn pool(
    act: Act,
    items: usize,
    (from, input): (&Layout, &[f32]),
    (to, output): (&Layout, &mut [f32]),
) {
    let channels = from.shape.channels;
    let share = 1.0 / from.shape.places() as f32;
    for item in 0..items {
        let input = &input[item * from.item()..][..from.item()];
        let start = item * to.item() + to.place(0, 0, 0) * to.step;
        let output = &mut output[start..][..2 * channels];
        let (means, tops) = output.split_at_mut(channels);
        means.fill(0.0);
        tops.fill(f32::NEG_INFINITY);
        for start in starts(from) {
            let place = &input[start..start + channels];
            for ((mean, top), x) in means.iter_mut().zip(&mut *tops).zip(place) {
                *mean += x;
                *top = top.max(*x);
            }
        }
        means
            .iter_mut()
            .for_each(|mean| *mean = apply(act, *mean * share));
        tops.iter_mut().for_each(|top| *top = apply(act, *top));
    }
}
