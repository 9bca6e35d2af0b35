//! What stands before the weights in a safetensors file: eight bytes of length and a JSON object.

use super::{Dtype, Tensor};
use crate::NetError;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// The most bytes the JSON may have: some thousand tensors.
const MAX_HEADER: u64 = 1 << 20;
/// A batch norm's count of batches, a whole number.
const COUNTER: &str = ".num_batches_tracked";
const MAX_NAME: usize = 128;
const MAX_DIMENSIONS: usize = 8;

/// The header of a file whose tensors lie one after the other, fill the file and are as large as their shapes say.
#[derive(Debug)]
pub struct Header {
    /// The strings under `__metadata__`.
    pub metadata: BTreeMap<String, String>,
    /// In the order in which they are stored.
    pub tensors: Vec<Entry>,
}

/// One tensor of a file.
#[derive(Debug)]
pub struct Entry {
    /// Letters, digits, `.`, `_` and `-`.
    pub name: String,
    /// How its numbers are stored; none for the counters that PyTorch keeps beside a batch norm, which are not read.
    pub dtype: Option<Dtype>,
    /// As PyTorch would print it.
    pub shape: Vec<usize>,
    /// Where in the file.
    pub bytes: Range<usize>,
}

impl Header {
    /// How many bytes of a file are its header, as its first bytes say; `None` where they do not.
    pub(super) fn length(start: &[u8]) -> Option<usize> {
        let length = u64::from_le_bytes(*start.first_chunk::<8>()?);
        (length <= MAX_HEADER).then(|| 8 + length as usize)
    }

    /// Reads and checks the header of a whole file.
    pub fn parse(file: &[u8]) -> Result<Header, NetError> {
        Header::of(file, file.len())
    }

    /// Reads and checks the header of a file of `size` bytes, of which `file` has no fewer than the header.
    pub(super) fn of(file: &[u8], size: usize) -> Result<Header, NetError> {
        let bad = |reason: String| NetError::Malformed(reason);
        if file.starts_with(b"PK\x03\x04") {
            let reason = "it is a ZIP archive, as torch.save writes; safetensors.torch.save_file writes what is read here";
            return Err(bad(reason.into()));
        }
        // Protocol buffers: the model's version of the format, then who wrote it, or straight the graph.
        if let [8, _, 0x12 | 0x3a, ..] = file {
            let reason =
                "it looks like ONNX, which tools/nets/export_onnx.py writes and nothing here reads";
            return Err(bad(reason.into()));
        }
        let Some((length, rest)) = file.split_first_chunk::<8>() else {
            let found = file.len();
            return Err(bad(format!("at least 8 bytes expected, {found} found")));
        };
        let length = u64::from_le_bytes(*length);
        if length > MAX_HEADER {
            let reason = format!("a header of at most {MAX_HEADER} bytes expected, {length} found");
            return Err(bad(reason));
        }
        let length = length as usize;
        let Some((json, _)) = rest.split_at_checked(length) else {
            let left = rest.len();
            return Err(bad(format!(
                "a header of {length} bytes expected, {left} found"
            )));
        };
        let raw: Raw = serde_json::from_slice(json)
            .map_err(|e| bad(format!("its header is wrong: {}", tame(&e.to_string()))))?;
        let metadata = raw.metadata.map(|Strict(map)| map).unwrap_or_default();
        let mut tensors = Vec::with_capacity(raw.tensors.len());
        for (name, raw) in raw.tensors {
            tensors.push(entry(name, raw, 8 + length, size - 8 - length)?);
        }
        tensors.sort_by_key(|entry| (entry.bytes.start, entry.bytes.end));
        let mut end = 8 + length;
        for Entry { name, bytes, .. } in &tensors {
            if bytes.start != end {
                let (found, end) = (bytes.start - 8 - length, end - 8 - length);
                let reason = format!("its data should begin at {end} and begins at {found}");
                return Err(NetError::tensor(name, reason));
            }
            end = bytes.end;
        }
        if end != size {
            return Err(bad(format!("{end} bytes expected, {size} found")));
        }
        Ok(Header { metadata, tensors })
    }

    /// Bytes of the weights in memory, where they are 32-bit floats.
    pub(super) fn weights(&self) -> u64 {
        let weights = self.tensors.iter().filter_map(|entry| {
            let size = entry.dtype?.size();
            Some((entry.bytes.len() / size * size_of::<f32>()) as u64)
        });
        weights.sum()
    }
}

/// Whether the tensor has the size that its shape asks for and lies inside the file.
fn entry(name: String, raw: RawEntry, begin: usize, length: usize) -> Result<Entry, NetError> {
    let fail = |reason: String| Err(NetError::tensor(&name, reason));
    let (dtype, size) = match raw.dtype.parse::<Dtype>() {
        Ok(dtype) => (Some(dtype), dtype.size()),
        Err(_) if raw.dtype == "I64" && name.ends_with(COUNTER) => (None, 8),
        Err(reason) => return fail(format!("type {}", tame(&reason))),
    };
    if raw.shape.len() > MAX_DIMENSIONS {
        let found = raw.shape.len();
        return fail(format!(
            "at most {MAX_DIMENSIONS} dimensions expected, {found} found"
        ));
    }
    let wanted = raw
        .shape
        .iter()
        .try_fold(size as u64, |product, &size| product.checked_mul(size));
    let [from, to] = raw.data_offsets;
    let found = to.checked_sub(from);
    if wanted.is_none() || wanted != found {
        let wanted = wanted.map_or("more than 2^64".to_string(), |bytes| bytes.to_string());
        let (kind, shape) = (&raw.dtype, &raw.shape);
        return fail(format!(
            "{wanted} bytes expected for {kind} {shape:?}, data_offsets {from} to {to} found"
        ));
    }
    if to > length as u64 {
        return fail(format!(
            "it ends at byte {to} of the data, which has {length}: the file is cut off"
        ));
    }
    Ok(Entry {
        dtype,
        // The product is within the file, and so is each factor unless another is 0.
        shape: raw.shape.iter().map(|&size| size as usize).collect(),
        bytes: begin + from as usize..begin + to as usize,
        name,
    })
}

/// The header and everything up to the weights, which follow in the order of `tensors`.
pub(super) fn write(
    metadata: &BTreeMap<String, String>,
    tensors: &BTreeMap<String, Tensor>,
    dtype: Dtype,
) -> Result<Vec<u8>, NetError> {
    let mut map = serde_json::Map::new();
    map.insert("__metadata__".into(), json!(metadata));
    let mut end = 0;
    for (name, tensor) in tensors {
        check_name(name).map_err(|reason| NetError::tensor(name, reason))?;
        let begin = end;
        let (wanted, found): (usize, usize) = (tensor.shape.iter().product(), tensor.data.len());
        if found != wanted {
            let reason = format!("{wanted} numbers expected, {found} found");
            return Err(NetError::tensor(name, reason));
        }
        end += found * dtype.size();
        let entry = json!({"dtype": dtype.to_string(), "shape": tensor.shape, "data_offsets": [begin, end]});
        map.insert(name.clone(), entry);
    }
    let mut json = serde_json::Value::Object(map).to_string().into_bytes();
    // Readers that map the file want aligned numbers.
    json.resize(json.len().next_multiple_of(8), b' ');
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend(json);
    Ok(bytes)
}

/// Names are shown in replies of one line, and nothing else occurs in PyTorch.
fn check_name(name: &str) -> Result<(), String> {
    let good = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    match name.chars().all(good) && (1..=MAX_NAME).contains(&name.len()) && name != "__metadata__" {
        true => Ok(()),
        false => Err(format!(
            "a name of 1 to {MAX_NAME} letters, digits, '.', '_' and '-' expected"
        )),
    }
}

/// Without anything that could leave its line, and of a length to read.
fn tame(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .take(200)
        .collect()
}

struct Raw {
    metadata: Option<Strict<String>>,
    tensors: Vec<(String, RawEntry)>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        struct Header;
        impl<'de> Visitor<'de> for Header {
            type Value = Raw;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
                let (mut metadata, mut tensors) = (None, BTreeMap::new());
                while let Some(name) = map.next_key::<String>()? {
                    if name == "__metadata__" {
                        if metadata.replace(map.next_value()?).is_some() {
                            return Err(A::Error::custom("__metadata__ stands there twice"));
                        }
                        continue;
                    }
                    check_name(&name)
                        .map_err(|e| A::Error::custom(format!("{e}, {name:?} found")))?;
                    if tensors.insert(name.clone(), map.next_value()?).is_some() {
                        return Err(A::Error::custom(format!(
                            "tensor '{name}' stands there twice"
                        )));
                    }
                }
                let tensors = tensors.into_iter().collect();
                Ok(Raw { metadata, tensors })
            }
        }
        deserializer.deserialize_map(Header)
    }
}

/// A map in which no key stands twice.
struct Strict<V>(BTreeMap<String, V>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Strict<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys<V>(std::marker::PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Keys<V> {
            type Value = Strict<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of strings")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut out = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<String, V>()? {
                    if out.insert(key.clone(), value).is_some() {
                        return Err(A::Error::custom(format!(
                            "{key:?} stands in the metadata twice"
                        )));
                    }
                }
                Ok(Strict(out))
            }
        }
        deserializer.deserialize_map(Keys(std::marker::PhantomData))
    }
}
