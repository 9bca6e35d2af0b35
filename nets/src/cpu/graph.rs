//! A plan as a graph: values with shapes, and operations that make one value of others. What follows a product (addition
//! of a residual, ReLU, tanh) becomes part of it here, so that each value is written once.

use crate::NetError;
use crate::plan::{Plan, Step};

/// What an activation is for one item of a batch. Flat ones have one row and one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub channels: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Shape {
    pub fn len(self) -> usize {
        self.channels * self.rows * self.columns
    }

    pub fn places(self) -> usize {
        self.rows * self.columns
    }
}

/// What is done to each number at last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    None,
    Relu,
    Tanh,
}

/// An index into `Graph::values`.
pub(super) type Value = usize;

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub op: Op,
    pub input: Value,
    /// Added before `act`; of the output's shape.
    pub residual: Option<Value>,
    pub act: Act,
    pub output: Value,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Op {
    /// The product at this index of `Graph::products`.
    Product(usize),
    /// The input itself.
    Copy,
    /// Each channel's mean, then each channel's maximum.
    Pool,
}

/// A convolution. A dense step is one whose kernel is the whole board: PyTorch's order of weights is then the same.
#[derive(Debug, Clone)]
pub(super) struct Product {
    /// Prefix of the names of its weights.
    pub name: String,
    pub dense: bool,
    pub inputs: usize,
    pub outputs: usize,
    /// Rows and columns of the kernel.
    pub kernel: [usize; 2],
    pub padding: usize,
}

#[derive(Clone)]
pub(super) struct Graph {
    pub values: Vec<Shape>,
    pub nodes: Vec<Node>,
    pub products: Vec<Product>,
    /// How many nodes come before the policy's own, which are the last.
    pub without_policy: usize,
    pub input: Value,
    pub value: Value,
    pub policy: Option<Value>,
}

impl Graph {
    pub fn new(plan: &Plan) -> Result<Graph, NetError> {
        let input = Shape {
            channels: plan.planes,
            rows: plan.rows,
            columns: plan.columns,
        };
        if input.len() == 0 {
            return Err(unfit(format!("an input of {input:?} has no numbers")));
        }
        let mut graph = Graph {
            values: vec![input],
            nodes: Vec::new(),
            products: Vec::new(),
            without_policy: 0,
            input: 0,
            value: 0,
            policy: None,
        };
        let mut end = End {
            value: 0,
            open: false,
        };
        graph.lower(&plan.trunk, &mut end)?;
        // Both heads read it, so neither may change it.
        end.open = false;
        let mut head = end;
        graph.lower(&plan.value, &mut head)?;
        graph.value = head.value;
        let found = graph.values[head.value].len();
        if found != 1 {
            return Err(unfit(format!("the value is {found} numbers and not one")));
        }
        graph.without_policy = graph.nodes.len();
        if let Some(steps) = &plan.policy {
            let mut head = end;
            graph.lower(steps, &mut head)?;
            graph.policy = Some(head.value);
        }
        Ok(graph)
    }

    fn lower(&mut self, steps: &[Step], end: &mut End) -> Result<(), NetError> {
        for step in steps {
            match step {
                Step::Conv {
                    name,
                    inputs,
                    outputs,
                    size,
                    padding,
                } => {
                    let product = Product {
                        name: name.clone(),
                        dense: false,
                        inputs: *inputs,
                        outputs: *outputs,
                        kernel: [*size, *size],
                        padding: *padding,
                    };
                    self.product(product, end)?;
                }
                Step::Dense {
                    name,
                    inputs,
                    outputs,
                } => {
                    let shape = self.values[end.value];
                    if shape.len() != *inputs {
                        let expected = shape.len();
                        return Err(unfit(format!(
                            "'{name}' takes {inputs} numbers and gets {expected}"
                        )));
                    }
                    let product = Product {
                        name: name.clone(),
                        dense: true,
                        inputs: shape.channels,
                        outputs: *outputs,
                        kernel: [shape.rows, shape.columns],
                        padding: 0,
                    };
                    self.product(product, end)?;
                }
                Step::Relu => self.act(Act::Relu, end),
                Step::Tanh => self.act(Act::Tanh, end),
                Step::GlobalPool => {
                    let channels = 2 * self.values[end.value].channels;
                    let shape = Shape {
                        channels,
                        rows: 1,
                        columns: 1,
                    };
                    self.push(Op::Pool, shape, end);
                }
                Step::Residual { body } => self.residual(body, end)?,
            }
        }
        Ok(())
    }

    fn product(&mut self, product: Product, end: &mut End) -> Result<(), NetError> {
        let Product {
            name,
            inputs,
            outputs,
            kernel: [rows, columns],
            padding,
            ..
        } = &product;
        let shape = self.values[end.value];
        if shape.channels != *inputs {
            return Err(unfit(format!(
                "'{name}' takes {inputs} channels and gets {}",
                shape.channels
            )));
        }
        let (high, wide) = (shape.rows + 2 * padding, shape.columns + 2 * padding);
        if *rows == 0 || *outputs == 0 || high < *rows || wide < *columns {
            return Err(unfit(format!(
                "'{name}' makes nothing of {} rows and {} columns",
                shape.rows, shape.columns
            )));
        }
        let shape = Shape {
            channels: *outputs,
            rows: high - rows + 1,
            columns: wide - columns + 1,
        };
        self.products.push(product);
        self.push(Op::Product(self.products.len() - 1), shape, end);
        Ok(())
    }

    fn act(&mut self, act: Act, end: &mut End) {
        if end.open
            && let Some(node) = self.nodes.last_mut()
            && node.act == Act::None
        {
            node.act = act;
            return;
        }
        let shape = self.values[end.value];
        self.push(Op::Copy, shape, end);
        if let Some(node) = self.nodes.last_mut() {
            node.act = act;
        }
    }

    fn residual(&mut self, body: &[Step], end: &mut End) -> Result<(), NetError> {
        let start = end.value;
        let (from, to) = (self.values[start], {
            end.open = false;
            self.lower(body, end)?;
            self.values[end.value]
        });
        if from != to {
            return Err(unfit(format!("a residual step adds {from:?} to {to:?}")));
        }
        let open = end.open;
        match self.nodes.last_mut() {
            Some(node) if open && node.act == Act::None && node.residual.is_none() => {
                node.residual = Some(start);
            }
            _ => {
                self.push(Op::Copy, to, end);
                if let Some(node) = self.nodes.last_mut() {
                    node.residual = Some(start);
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, op: Op, shape: Shape, end: &mut End) {
        let output = self.values.len();
        self.values.push(shape);
        self.nodes.push(Node {
            op,
            input: end.value,
            residual: None,
            act: Act::None,
            output,
        });
        *end = End {
            value: output,
            open: true,
        };
    }

    /// For each value the last node that reads it; outputs are read after all nodes.
    pub fn last_reads(&self) -> Vec<usize> {
        let mut last = vec![0; self.values.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            last[node.input] = at;
            if let Some(residual) = node.residual {
                last[residual] = at;
            }
        }
        for value in [Some(self.value), self.policy].into_iter().flatten() {
            last[value] = self.nodes.len();
        }
        last
    }
}

/// Where lowering stands: the value so far, and whether the last node made it and nobody else has read it.
#[derive(Clone, Copy)]
struct End {
    value: Value,
    open: bool,
}

fn unfit(reason: String) -> NetError {
    NetError::Architecture {
        text: "plan".into(),
        reason,
    }
}
