//! How each value of a graph is held in an int8 network, and the scales that fit samples.

use crate::NetError;
use crate::cpu::float;
use crate::cpu::graph::{Act, Graph, Node, Op, Value};
use std::sync::Arc;
use std::thread;

/// How a value is held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// A byte b means `(b - zero) · scale`.
    Bytes { scale: f32, zero: u8 },
    /// What leaves the network, and what its last small layer reads.
    Floats,
}

impl Form {
    /// The size of a step, and where 0 is.
    pub fn scale(self) -> (f32, f32) {
        match self {
            Form::Bytes { scale, zero } => (scale, f32::from(zero)),
            Form::Floats => (1.0, 0.0),
        }
    }

    pub fn to_byte(self, x: f32) -> u8 {
        /// Added to it, a small number is rounded, and its bits are the last ones of the sum.
        const ROUND: f32 = 12_582_912.0;
        let (scale, zero) = self.scale();
        ((x / scale + zero).clamp(0.0, 255.0) + ROUND).to_bits() as u8
    }

    pub fn to_float(self, byte: u8) -> f32 {
        let (scale, zero) = self.scale();
        (f32::from(byte) - zero) * scale
    }

    /// The whole range of a byte, or, if there are negative numbers, half of it either side.
    fn of([least, most]: [f32; 2]) -> Form {
        let (range, steps, zero) = match least < 0.0 {
            true => (most.max(-least), 127.0, 128),
            false => (most, 255.0, 0),
        };
        let scale = range / steps;
        // A value that samples never move may have any scale.
        let scale = if scale >= f32::MIN_POSITIVE {
            scale
        } else {
            1.0
        };
        Form::Bytes { scale, zero }
    }
}

/// More threads would wait for each other to begin.
const MOST_THREADS: usize = 8;
/// Most items of samples at once.
const MOST_ITEMS: usize = 64;

/// Largest last layer that is computed in floats: it costs nothing, and the value is spared one rounding.
const SMALL: usize = 16;

/// Whether this node is a small dense layer at the end of a head.
pub(super) fn stays_float(graph: &Graph, node: &Node) -> bool {
    let Op::Product(at) = node.op else {
        return false;
    };
    let product = &graph.products[at];
    let last = |value: Value| value == graph.value || Some(value) == graph.policy;
    product.kernel == [1, 1]
        && product.padding == 0
        && product.outputs <= SMALL
        && graph.values[node.input].places() == 1
        && node.residual.is_none()
        && last(node.output)
        && !last(node.input)
        && node.input != graph.input
        && readers(graph, node.input).count() == 1
        && readers(graph, node.output).count() == 0
}

fn readers(graph: &Graph, value: Value) -> impl Iterator<Item = &Node> {
    let reads = move |node: &&Node| node.input == value || node.residual == Some(value);
    graph.nodes.iter().filter(reads)
}

fn is_float(graph: &Graph, value: Value) -> bool {
    let mut readers = readers(graph, value).peekable();
    readers.peek().is_none() || readers.all(|node| stays_float(graph, node))
}

/// Gives each tanh whose outcome is held in bytes a node of its own: kernels cut off, but they do not bend.
pub(super) fn split_tanh(graph: &mut Graph) {
    let mut at = 0;
    while at < graph.nodes.len() {
        let node = graph.nodes[at];
        let bends = node.act == Act::Tanh && matches!(node.op, Op::Product(_));
        if bends && !is_float(graph, node.output) {
            let straight = graph.values.len();
            graph.values.push(graph.values[node.output]);
            graph.nodes[at].act = Act::None;
            graph.nodes[at].output = straight;
            let bend = Node {
                op: Op::Copy,
                input: straight,
                residual: None,
                ..node
            };
            graph.nodes.insert(at + 1, bend);
            graph.without_policy += usize::from(at < graph.without_policy);
        }
        at += 1;
    }
}

/// A form for each value, fitted to what it is for `samples`.
pub(super) fn fit(
    graph: &Graph,
    network: Arc<float::Network>,
    samples: &[f32],
) -> Result<Vec<Form>, NetError> {
    let input = graph.values[graph.input].len();
    if samples.is_empty() || !samples.len().is_multiple_of(input) {
        let found = samples.len();
        return Err(unfit(
            format!("one or more positions of {input} numbers"),
            format!("{found} numbers"),
        ));
    }
    let ranges = ranges(graph, &network, samples);
    if ranges.iter().flatten().any(|x| !x.is_finite()) {
        let expected = "positions that the network makes finite numbers of".into();
        return Err(unfit(expected, "infinite ones or none".into()));
    }
    let form = |value| match is_float(graph, value) {
        true => Form::Floats,
        false => Form::of(ranges[value]),
    };
    Ok((0..graph.values.len()).map(form).collect())
}

/// The least and the largest number of each value for `samples`, of which each of some threads takes a part.
fn ranges(graph: &Graph, network: &Arc<float::Network>, samples: &[f32]) -> Vec<[f32; 2]> {
    let input = graph.values[graph.input].len();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(MOST_THREADS);
    let share = (samples.len() / input).div_ceil(threads) * input;
    // All together take no more memory for activations than one would.
    let items = (network.part().min(MOST_ITEMS) / threads).max(1);
    thread::scope(|scope| {
        let spawn = |samples| {
            let part = move || ranges_of(graph, network, samples, items);
            thread::Builder::new().spawn_scoped(scope, part)
        };
        let mut shares = samples.chunks(share);
        let own = shares.next().unwrap_or_default();
        let others: Vec<_> = shares.map(|samples| (samples, spawn(samples))).collect();
        let mut ranges = ranges_of(graph, network, own, items);
        for (samples, thread) in others {
            // One that could not be begun, or ended early.
            let others = thread.ok().and_then(|thread| thread.join().ok());
            let others = others.unwrap_or_else(|| ranges_of(graph, network, samples, items));
            for (range, other) in ranges.iter_mut().zip(others) {
                *range = [range[0].min(other[0]), range[1].max(other[1])];
            }
        }
        ranges
    })
}

/// The same, so many items at once.
fn ranges_of(
    graph: &Graph,
    network: &Arc<float::Network>,
    samples: &[f32],
    items: usize,
) -> Vec<[f32; 2]> {
    let input = graph.values[graph.input].len();
    let mut ranges = vec![[f32::INFINITY, f32::NEG_INFINITY]; graph.values.len()];
    let mut runner = network.runner();
    for samples in samples.chunks(items * input) {
        let items = samples.len() / input;
        runner.pass(samples, items, graph.nodes.len(), |runner, value| {
            let [least, most] = runner.range(value, items);
            let range = &mut ranges[value];
            *range = [range[0].min(least), range[1].max(most)];
        });
    }
    ranges
}

fn unfit(expected: String, found: String) -> NetError {
    NetError::Unfit {
        what: "samples of",
        expected,
        found,
    }
}
