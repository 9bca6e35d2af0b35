//! Network files: safetensors with metadata. Knows no architecture and no game; what the tensors must be is asked elsewhere.
//!
//! `header` is what stands before the weights, `meta` what the metadata must say, `disk` reading and writing as a whole.
//!
//! Format: <https://github.com/huggingface/safetensors#format>. The crate `safetensors` is kept well, but it takes a name
//! that stands twice without a word, writes metadata in a new order each time, and cannot say which tensor has which wrong
//! size; so the header is read and written here, strictly, and tests check it against that crate.

mod disk;
mod dtype;
mod header;
mod meta;
mod shape;

pub use disk::{MAX_BYTES, bytes_of, replace};
pub use dtype::Dtype;
pub use header::{Entry, Header};
pub use meta::{FORMAT, Meta, View};
pub use shape::Shape;

use crate::NetError;
use std::collections::BTreeMap;

/// Numbers in a row-major order, with a shape. Always 32-bit floats in memory, whatever the file has.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// As PyTorch would print it. Its product is the length of `data`.
    pub shape: Vec<usize>,
    /// Finite.
    pub data: Vec<f32>,
}

/// Tensors by name, as in a PyTorch `state_dict`.
pub type Tensors = BTreeMap<String, Tensor>;

/// All that a network file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// What the network is for and how its answer is meant.
    pub meta: Meta,
    /// As the file names and shapes them.
    pub tensors: Tensors,
}

impl Weights {
    /// The content of a network file. Everything the format promises is checked, and that all weights are finite.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, NetError> {
        let header = Header::parse(bytes)?;
        let decode = |entry: &Entry, dtype: Dtype| Ok(dtype.decode(&bytes[entry.bytes.clone()]));
        Weights::assemble(&header, decode)
    }

    /// The tensors of a header, decoded one after the other in the order of the file.
    fn assemble(
        header: &Header,
        mut decode: impl FnMut(&Entry, Dtype) -> Result<Vec<f32>, NetError>,
    ) -> Result<Weights, NetError> {
        let meta = Meta::from_map(&header.metadata)?;
        let mut tensors = BTreeMap::new();
        for entry in &header.tensors {
            let Some(dtype) = entry.dtype else { continue };
            let data = decode(entry, dtype)?;
            if let Some(at) = data.iter().position(|value| !value.is_finite()) {
                let (index, value) = (index(&entry.shape, at), data[at]);
                let reason = format!("the weight at {index:?} is {value}, not a finite number");
                return Err(NetError::tensor(&entry.name, reason));
            }
            let shape = entry.shape.clone();
            tensors.insert(entry.name.clone(), Tensor { shape, data });
        }
        Ok(Weights { meta, tensors })
    }

    /// The file of these weights as 32-bit floats. The same weights always give the same bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetError> {
        self.to_bytes_as(Dtype::F32)
    }

    /// The same with rounded weights; a weight too large for `dtype` is an error, and so is a feature's or a count's number that it
    /// would round.
    pub fn to_bytes_as(&self, dtype: Dtype) -> Result<Vec<u8>, NetError> {
        let metadata = self.meta.to_map();
        // What could not be read again is not written.
        Meta::from_map(&metadata)?;
        let mut bytes = header::write(&metadata, &self.tensors, dtype)?;
        for (name, tensor) in &self.tensors {
            let exact = EXACT.iter().any(|end| name.ends_with(end));
            let holds = |value: &f32| match dtype.round(*value) {
                rounded if exact => rounded == *value,
                rounded => rounded.is_finite(),
            };
            if let Some(at) = tensor.data.iter().position(|value| !holds(value)) {
                let (index, value) = (index(&tensor.shape, at), tensor.data[at]);
                let what = if exact { "number" } else { "weight" };
                let reason =
                    format!("the {what} at {index:?} is {value}, which {dtype} cannot hold");
                return Err(NetError::tensor(name, reason));
            }
            dtype.encode(&tensor.data, &mut bytes);
        }
        Ok(bytes)
    }
}

/// How the names of tensors end whose numbers name and count features: rounded they would mean others.
const EXACT: [&str; 3] = ["stages", ".features", ".mirror"];

/// The place in each dimension of the `at`th number.
fn index(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (place, size) in index.iter_mut().zip(shape).rev() {
        *place = at % size;
        at /= size;
    }
    index
}
