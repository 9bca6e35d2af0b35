//! Runs an int8 network: buffers, and the nodes one after another.

use super::arena::{Arena, Items};
use super::form::Form;
use super::kernel::{Finish, OUTPUTS, Tile};
use super::packed::Packed;
#[cfg(target_arch = "x86_64")]
use super::winograd;
use super::{LANES, Network, Product, input, number};
use crate::Runner;
use crate::cpu::float;
use crate::cpu::graph::{Act, Node, Op, Value};
use crate::cpu::layout::Layout;
use crate::cpu::memory::Aligned;
use std::sync::Arc;

/// Fewer items than this are not worth matrix tiles.
const FEW: usize = 3;

/// Runs a network with buffers of its own.
pub(in crate::cpu) struct Int8Runner {
    network: Arc<Network>,
    /// One item after another.
    single: Arena,
    /// `LANES` items side by side, for matrix tiles.
    tiled: Arena,
    /// A board with its rings, filled with the byte of zero.
    board: Vec<u8>,
    /// Room for one item of two values in floats.
    scratch: [Vec<f32>; 2],
    #[cfg(target_arch = "x86_64")]
    sums: super::amx::Sums,
    #[cfg(target_arch = "x86_64")]
    transformed: winograd::Scratch,
}

impl Int8Runner {
    pub(super) fn new(network: Arc<Network>) -> Int8Runner {
        let zero = match network.forms[network.graph.input] {
            Form::Bytes { zero, .. } => zero,
            Form::Floats => 0,
        };
        let board = network
            .patches
            .as_ref()
            .map_or(0, |patches| patches.board());
        let largest = network.graph.values.iter().map(|shape| shape.len()).max();
        Int8Runner {
            single: Arena::new(1),
            tiled: Arena::new(LANES),
            board: vec![zero; board],
            scratch: [0, 1].map(|_| vec![0.0; largest.unwrap_or(0)]),
            #[cfg(target_arch = "x86_64")]
            sums: super::amx::Sums::new(),
            #[cfg(target_arch = "x86_64")]
            transformed: winograd::Scratch::default(),
            network,
        }
    }

    /// Both arenas grow at once, so that a small batch after a large one allocates nothing.
    fn grow(&mut self, items: usize) {
        let network = self.network.clone();
        let few = if network.tiles {
            items.min(FEW - 1)
        } else {
            items
        };
        if few > self.single.capacity {
            self.single.grow(&network, few);
        }
        if network.tiles && items > self.tiled.capacity {
            self.tiled.grow(&network, items);
        }
    }

    fn pass(&mut self, inputs: &[f32], values: &mut [f32], policies: Option<&mut [f32]>) {
        let network = self.network.clone();
        let (graph, count) = (&network.graph, values.len());
        let tiled = network.tiles && count >= FEW;
        let rows = if tiled {
            count.div_ceil(count.div_ceil(LANES))
        } else {
            1
        };
        let items = Items { count, rows };
        self.write(inputs, items, tiled);
        let nodes = match policies {
            Some(_) => graph.nodes.len(),
            None => graph.without_policy,
        };
        for at in 0..nodes {
            self.run_node(&network, at, items, tiled);
        }
        for (item, value) in values.iter_mut().enumerate() {
            self.read_out(graph.value, items, item, tiled, std::slice::from_mut(value));
        }
        if let (Some(policies), Some(policy)) = (policies, graph.policy) {
            let logits = graph.values[policy].len();
            for (item, policies) in policies.chunks_exact_mut(logits).enumerate() {
                self.read_out(policy, items, item, tiled, policies);
            }
        }
    }

    fn arena(&mut self, tiled: bool) -> &mut Arena {
        match tiled {
            true => &mut self.tiled,
            false => &mut self.single,
        }
    }

    fn write(&mut self, inputs: &[f32], items: Items, tiled: bool) {
        let network = self.network.clone();
        let value = network.graph.input;
        let (layout, form) = (&network.layouts.of[value], network.forms[value]);
        let arena = match tiled {
            true => &mut self.tiled,
            false => &mut self.single,
        };
        let apart = arena.lanes * layout.step;
        for (item, planes) in inputs.chunks_exact(network.input).enumerate() {
            let start = arena.start(layout, items, item);
            let to = &mut arena.buffers[network.layouts.buffer[value]][start..];
            match &network.patches {
                Some(patches) => patches.write(planes, form, &mut self.board, to, apart),
                None => input::write(layout, planes, form, to, apart),
            }
        }
    }

    fn run_node(&mut self, network: &Network, at: usize, items: Items, tiled: bool) {
        let node = &network.graph.nodes[at];
        let number = network.layouts.buffer[node.output];
        let slot = &mut self.arena(tiled).buffers[number];
        // The output shares no buffer with what the node reads.
        let mut output = std::mem::replace(slot, Aligned::zeros(0));
        match node.op {
            Op::Product(product) => match &network.products[product] {
                Product::Bytes(packed) => {
                    self.multiply(network, (at, node), packed, items, tiled, &mut output)
                }
                #[cfg(target_arch = "x86_64")]
                Product::Winograd(winograd) => {
                    self.multiply_patches(network, (at, node), winograd, items, &mut output)
                }
                Product::Floats(packed) => {
                    self.multiply_floats(network, (at, node), packed, items, tiled, &mut output)
                }
            },
            Op::Copy | Op::Pool => self.plain(network, node, items, tiled, &mut output),
        }
        let bends = node.act == Act::Tanh && matches!(node.op, Op::Product(_));
        self.arena(tiled).buffers[number] = output;
        if bends {
            self.tanh(network, node.output, items, tiled);
        }
    }

    fn multiply(
        &mut self,
        network: &Network,
        (at, node): (usize, &Node),
        packed: &Packed,
        items: Items,
        tiled: bool,
        output: &mut [u8],
    ) {
        let arena = if tiled { &self.tiled } else { &self.single };
        let read = |value: Value| &*arena.buffers[network.layouts.buffer[value]];
        let per_block = network.layouts.of[node.output].shape.places();
        let places = &arena.places[at][..items.blocks() * per_block];
        let size = number(&network.layouts.of[node.output]);
        let residual = node.residual.map(read);
        let (most, most_places) = match tiled {
            true => (2, 2),
            false => (network.kernels.tiles, network.kernels.places),
        };
        let calls = places.len().div_ceil(most_places);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `tiled` is only where AMX is; rows and groups are from 1 to 16.
        let tiles = tiled.then(|| unsafe { super::amx::Tiles::new(items.rows, packed.groups) });
        for first in (0..packed.outputs).step_by(most * OUTPUTS) {
            let outputs = (packed.outputs - first).min(most * OUTPUTS);
            let steps = &packed.steps[usize::from(tiled)];
            let stride = steps.len() * packed.groups * 4;
            for call in 0..calls {
                let [from, to] = [call, call + 1].map(|call| call * places.len() / calls);
                let mut tile = Tile {
                    input: read(node.input).as_ptr(),
                    steps,
                    groups: packed.groups,
                    places: places[from..to].as_ptr(),
                    weights: packed.weights[first * stride..].as_ptr(),
                    finish: Finish {
                        scale: packed.scale[first..].as_ptr(),
                        bias: packed.bias[first..].as_ptr(),
                        residual: packed.residual,
                        to: packed.to,
                    },
                    residual: residual.map_or(std::ptr::null(), |bytes| bytes[first..].as_ptr()),
                    output: output[first * size..].as_mut_ptr(),
                    outputs,
                };
                #[cfg(target_arch = "x86_64")]
                if let Some(tiles) = &tiles {
                    let of = |value: Value| network.layouts.of[value].step;
                    let apart = [of(node.input), of(node.output), node.residual.map_or(0, of)];
                    let twice = [places[from]; 2];
                    if to - from == 1 {
                        tile.places = twice.as_ptr();
                    }
                    let sums = &mut self.sums;
                    // SAFETY: as below, for each item of the blocks; `tiles` was made for them.
                    unsafe { super::amx::pair(&tile, items.rows, apart, sums, tiles) };
                    continue;
                }
                let kernel = network.kernels.kernel(to - from, outputs.div_ceil(OUTPUTS));
                tile.places = places[from..to].as_ptr();
                // SAFETY: the instruction set was checked when the network was compiled; `places`, `steps` and the
                // buffers were made of the same layouts, and the weights packed for as many steps.
                unsafe { kernel(&tile) };
            }
        }
    }

    /// Where no instruction set has matrix tiles, so that items lie one after another.
    #[cfg(target_arch = "x86_64")]
    fn multiply_patches(
        &mut self,
        network: &Network,
        (at, node): (usize, &Node),
        winograd: &winograd::Winograd,
        items: Items,
        output: &mut [u8],
    ) {
        let (layouts, arena) = (&network.layouts, &self.single);
        let read = |value: Value| (&layouts.of[value], &*arena.buffers[layouts.buffer[value]]);
        let patches = &arena.patches[at];
        let count = patches.len() / arena.capacity * items.count;
        let mapped = winograd::Mapped {
            input: read(node.input),
            residual: node.residual.map(read),
            output: &layouts.of[node.output],
        };
        // SAFETY: the instruction set was checked when the network was compiled; patches and buffers are of the same layouts.
        unsafe { winograd.run(&patches[..count], &mapped, output, &mut self.transformed) };
    }

    fn multiply_floats(
        &mut self,
        network: &Network,
        (at, node): (usize, &Node),
        packed: &float::Packed,
        items: Items,
        tiled: bool,
        output: &mut Aligned<u8>,
    ) {
        let arena = if tiled { &self.tiled } else { &self.single };
        let input = arena.buffers[network.layouts.buffer[node.input]].floats();
        let len = network.layouts.of[node.input].step as u32;
        let runs = [float::Run { start: 0, len }];
        let relu = node.act == Act::Relu;
        for block in 0..items.blocks() {
            let rows = items.rows.min(items.count - block * items.rows);
            let places = &arena.floats[at][block * arena.lanes..][..rows];
            // SAFETY: the instruction set was checked when the network was compiled; places and buffers are of the same
            // layouts, in which flat items lie one after another.
            unsafe {
                let weights = (&runs[..], packed);
                let output = output.floats_mut();
                float::multiply(
                    &network.float_kernels,
                    weights,
                    places,
                    input,
                    None,
                    relu,
                    output,
                );
            }
        }
    }

    fn tanh(&mut self, network: &Network, value: Value, items: Items, tiled: bool) {
        let layout = &network.layouts.of[value];
        let arena = self.arena(tiled);
        for item in 0..items.count {
            let start = arena.start(layout, items, item);
            let apart = arena.lanes * layout.step;
            let buffer = arena.buffers[network.layouts.buffer[value]].floats_mut();
            for place in 0..layout.places() {
                let numbers = &mut buffer[start + place * apart..][..layout.shape.channels];
                numbers.iter_mut().for_each(|x| *x = x.tanh());
            }
        }
    }

    /// What is rare, one item at a time in floats.
    fn plain(
        &mut self,
        network: &Network,
        node: &Node,
        items: Items,
        tiled: bool,
        output: &mut Aligned<u8>,
    ) {
        let mut scratch = std::mem::take(&mut self.scratch);
        let shape = network.graph.values[node.input];
        let (places, len) = (shape.places(), shape.len());
        for item in 0..items.count {
            let [numbers, second] = &mut scratch;
            let numbers = &mut numbers[..len];
            self.read_out(node.input, items, item, tiled, numbers);
            if let Op::Pool = node.op {
                let pooled = &mut second[..2 * shape.channels];
                let (means, tops) = pooled.split_at_mut(shape.channels);
                for (channel, plane) in numbers.chunks_exact(places).enumerate() {
                    means[channel] = plane.iter().sum::<f32>() / places as f32;
                    tops[channel] = plane.iter().fold(f32::NEG_INFINITY, |top, x| top.max(*x));
                }
            } else {
                let sums = &mut second[..len];
                match node.residual {
                    Some(residual) => self.read_out(residual, items, item, tiled, sums),
                    None => sums.fill(0.0),
                }
                sums.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += *x);
            }
            second
                .iter_mut()
                .for_each(|x| *x = float::apply(node.act, *x));
            self.write_back(network, node.output, items, item, tiled, (second, output));
        }
        self.scratch = scratch;
    }

    /// A value of an item, as PyTorch would flatten it.
    fn read_out(&self, value: Value, items: Items, item: usize, tiled: bool, to: &mut [f32]) {
        let arena = if tiled { &self.tiled } else { &self.single };
        let network = &*self.network;
        let (layout, form) = (&network.layouts.of[value], network.forms[value]);
        let buffer = &arena.buffers[network.layouts.buffer[value]];
        let start = arena.start(layout, items, item);
        numbers(layout, arena.lanes, start, |from, at| {
            to[at] = match form {
                Form::Bytes { .. } => form.to_float(buffer[from]),
                Form::Floats => buffer.floats()[from],
            }
        });
    }

    fn write_back(
        &self,
        network: &Network,
        value: Value,
        items: Items,
        item: usize,
        tiled: bool,
        (from, output): (&[f32], &mut Aligned<u8>),
    ) {
        let arena = if tiled { &self.tiled } else { &self.single };
        let (layout, form) = (&network.layouts.of[value], network.forms[value]);
        let start = arena.start(layout, items, item);
        numbers(layout, arena.lanes, start, |to, at| match form {
            Form::Bytes { .. } => output[to] = form.to_byte(from[at]),
            Form::Floats => output.floats_mut()[to] = from[at],
        });
    }
}

/// For each number of an item, where it lies and its place when channels come first.
fn numbers(layout: &Layout, lanes: usize, start: usize, mut each: impl FnMut(usize, usize)) {
    let shape = layout.shape;
    for row in 0..shape.rows {
        for column in 0..shape.columns {
            let place = start + layout.place(row, column, 0) * lanes * layout.step;
            for channel in 0..shape.channels {
                let at = (channel * shape.rows + row) * shape.columns + column;
                each(place + channel, at);
            }
        }
    }
}

impl Runner for Int8Runner {
    fn run(&mut self, inputs: &[f32], values: &mut [f32], policies: Option<&mut [f32]>) {
        let network = self.network.clone();
        self.grow(values.len().min(network.part));
        let sizes = crate::cpu::Sizes {
            input: network.input,
            logits: network
                .graph
                .policy
                .map_or(0, |policy| network.graph.values[policy].len()),
            part: network.part,
        };
        crate::cpu::in_parts(
            sizes,
            inputs,
            values,
            policies,
            |inputs, values, policies| {
                self.pass(inputs, values, policies);
            },
        );
    }

    fn another(&self) -> Box<dyn Runner> {
        Box::new(self.network.runner())
    }
}
