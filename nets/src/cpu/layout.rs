//! Where activations lie: channels last, with rings of zeros around the board where a convolution pads, and which values
//! may share a buffer.

use super::graph::{Graph, Op, Shape, Value};

/// How one item's activation lies in a buffer, counted in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub shape: Shape,
    /// Numbers from one place to the next: the channels, maybe rounded up.
    pub step: usize,
    /// Rings around the board, never written.
    pub halo: usize,
    /// More rows below and columns to the right, never written.
    pub extra: usize,
    /// What stands in the rings where numbers are bytes; none where they are floats.
    pub fill: Option<u8>,
}

impl Layout {
    pub fn width(&self) -> usize {
        self.shape.columns + 2 * self.halo + self.extra
    }

    /// Places of one item, those outside the board included.
    pub fn places(&self) -> usize {
        (self.shape.rows + 2 * self.halo + self.extra) * self.width()
    }

    /// Numbers from one item to the next.
    pub fn item(&self) -> usize {
        self.places() * self.step
    }

    /// The place of row `row` and column `column` counted from `ring` rings outside the board.
    pub fn place(&self, row: usize, column: usize, ring: usize) -> usize {
        (row + self.halo - ring) * self.width() + column + self.halo - ring
    }
}

/// The layouts of all values, each with the number of its buffer.
pub(super) struct Layouts {
    pub of: Vec<Layout>,
    pub buffer: Vec<usize>,
    /// For each buffer, the layout of all its values.
    pub buffers: Vec<Layout>,
}

impl Layouts {
    /// `numbers` gives a value's step and fill, `extra` the extra rows and columns that the product of this index wants of
    /// its input.
    pub fn new(
        graph: &Graph,
        numbers: impl Fn(Value) -> (usize, Option<u8>),
        extra: impl Fn(usize) -> usize,
    ) -> Layouts {
        let layout = |(value, shape): (usize, &Shape)| {
            let (step, fill) = numbers(value);
            Layout {
                shape: *shape,
                step,
                halo: 0,
                extra: 0,
                fill,
            }
        };
        let mut of: Vec<Layout> = graph.values.iter().enumerate().map(layout).collect();
        for node in &graph.nodes {
            if let Op::Product(at) = node.op {
                let input = &mut of[node.input];
                input.halo = input.halo.max(graph.products[at].padding);
                input.extra = input.extra.max(extra(at));
            }
        }
        let (buffer, buffers) = share(graph, &of);
        Layouts {
            of,
            buffer,
            buffers,
        }
    }
}

/// Values share a buffer only if they have the same layout, so that its rings stay zero.
fn share(graph: &Graph, of: &[Layout]) -> (Vec<usize>, Vec<Layout>) {
    let last = graph.last_reads();
    let mut buffers = vec![of[graph.input]];
    let mut free: Vec<usize> = Vec::new();
    let mut buffer = vec![0; of.len()];
    for (at, node) in graph.nodes.iter().enumerate() {
        let wanted = of[node.output];
        buffer[node.output] = match free.iter().position(|&b| buffers[b] == wanted) {
            Some(place) => free.swap_remove(place),
            None => {
                buffers.push(wanted);
                buffers.len() - 1
            }
        };
        let residual = node.residual.filter(|r| *r != node.input);
        for value in [Some(node.input), residual].into_iter().flatten() {
            if last[value] == at {
                free.push(buffer[value]);
            }
        }
    }
    (buffer, buffers)
}
