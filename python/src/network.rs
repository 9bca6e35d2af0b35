//! `Network`: a network in memory, from a file or from tensors.

use crate::errors::{Refusal, guarded};
use crate::game::Game;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use std::path::PathBuf;
use std::sync::Arc;
use treeline::game::Planes;
use treeline::session::networks::NamedNetwork;
use treeline_nets::arch::Network as Loaded;
use treeline_nets::file::{Meta, Shape, Tensor, Tensors, View, Weights};

/// PyTorch's counters, which no network needs.
const COUNTER: &str = "num_batches_tracked";

/// A network in memory, for `Engine(network=…)`.
///
/// `Network(state_dict, game, "cnet(16,24)")` takes the tensors by name, as numpy arrays or PyTorch tensors: a module's
/// `state_dict()`. docs/networks.md has the architectures with their tensors. `encoding` is the version of the planes that the
/// network was trained on, `policy` whether it has a policy for the game, `input` its input where that is not the planes (the
/// number of features for inc and patterns), `view` whose value it gives, "mover" or "player-one", by default that of the planes,
/// and `scale` what the value is multiplied by to be in [-1, 1]. Raises NetworkError, naming the tensor, or ShapeError.
#[pyclass(frozen, module = "treeline")]
pub struct Network(pub Arc<NamedNetwork>);

impl Network {
    fn named(name: String, network: Loaded) -> Network {
        let others = Vec::new();
        Network(Arc::new(NamedNetwork {
            name,
            network,
            others,
        }))
    }
}

/// Numbers of floating point as 32-bit ones.
fn read_tensor(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let py = value.py();
    let mut value = value.clone();
    if value.hasattr("detach")? {
        for method in ["detach", "cpu", "float"] {
            value = value.call_method0(method)?;
        }
        value = value.call_method0("numpy")?;
    }
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (&value,))?;
    let dtype = array.getattr("dtype")?;
    if dtype.getattr("kind")?.extract::<String>()? != "f" {
        let text = format!("{name}: numbers of floating point expected, {dtype} found");
        return Err(Refusal::Shape(text).into());
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "float32"))?;
    let array = array.cast::<PyArrayDyn<f32>>().map_err(PyErr::from)?;
    // A single number is an array of one dimension here and of none in PyTorch; no network has either.
    let shape = array.shape().to_vec();
    let data = array
        .to_vec()
        .map_err(|e| Refusal::Shape(format!("{name}: {e}")))?;
    Ok(Tensor { shape, data })
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (state_dict, game, architecture, *, encoding = 2, policy = false, input = None, view = None, scale = 1.0, name = "memory"))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords of Python")]
    fn new(
        state_dict: &Bound<'_, PyAny>,
        game: &Bound<'_, Game>,
        architecture: &str,
        encoding: u32,
        policy: bool,
        input: Option<Vec<usize>>,
        view: Option<&str>,
        scale: f32,
        name: &str,
    ) -> PyResult<Network> {
        let game = game.get();
        let sees = game.shape(encoding)?;
        let view = match view {
            Some("mover") => View::Mover,
            Some("player-one") => View::PlayerOne,
            Some(other) => {
                let text = format!("view: mover or player-one expected, {other:?} found");
                return Err(Refusal::Other(text).into());
            }
            None => match game.0.rules.encodings()[game.0.encoding(encoding)?].by_mover {
                true => View::Mover,
                false => View::PlayerOne,
            },
        };
        let meta = Meta {
            game: game.0.entry.name.into(),
            variant: game.0.variant.changed(),
            architecture: architecture.into(),
            encoding,
            shape: Shape {
                input: input.unwrap_or_else(|| vec![sees.planes, sees.rows, sees.columns]),
                policy: if policy { sees.policy } else { 0 },
            },
            view,
            scale,
            origin: String::new(),
        };
        let mut tensors = Tensors::new();
        let state_dict = state_dict.call_method0("items")?;
        for item in state_dict.try_iter()? {
            let (name, value): (String, Bound<'_, PyAny>) = item?.extract()?;
            if !name.ends_with(COUNTER) {
                tensors.insert(name.clone(), read_tensor(&name, &value)?);
            }
        }
        let network = guarded(|| {
            // Through the bytes of a file, so that everything is checked that is checked of files.
            let bytes = Weights { meta, tensors }.to_bytes()?;
            Ok(Loaded::load(Weights::from_bytes(&bytes)?)?)
        })?;
        Ok(Network::named(name.into(), network))
    }

    /// The network of a file. Raises NetworkError.
    #[classmethod]
    fn read(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Network> {
        let network = guarded(|| Ok(Loaded::read(&path)?))?;
        Ok(Network::named(path.display().to_string(), network))
    }

    /// What it is called in results.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What it is for: game, variant, architecture, encoding, input, policy, scale.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let meta = self.0.network.meta();
        let all = PyDict::new(py);
        all.set_item("game", &meta.game)?;
        all.set_item("variant", &meta.variant)?;
        all.set_item("architecture", &meta.architecture)?;
        all.set_item("encoding", meta.encoding)?;
        all.set_item("input", &meta.shape.input)?;
        all.set_item("policy", meta.shape.policy)?;
        all.set_item("scale", meta.scale)?;
        Ok(all)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Network {}: {} for {}>",
            self.0.name,
            self.0.architecture(),
            self.0.purpose()
        )
    }
}
