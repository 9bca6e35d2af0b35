"""Writes a network as ONNX and checks onnxruntime's answers against PyTorch's.

    python tools/nets/export_onnx.py NET.safetensors NET.onnx

Inputs: `planes` [batch, planes, rows, columns] (for inc: `features` [batch, 2, features]). Outputs: `value` [batch] and,
where the network has a policy, `policy` [batch, outputs], as logits. The metadata goes along. Needs torch, safetensors,
onnx and onnxruntime. Ends with status 1 if an answer differs by more than 1e-5.
"""

import argparse
import pathlib
import sys
import warnings

import numpy
import onnx
import onnxruntime
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import treeline_net


class Named(torch.nn.Module):
    """Without the place of a policy that is not there."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        value, policy = self.model(x)
        return value if policy is None else (value, policy)


def export(metadata, model, path):
    """Writes the file and gives the names of its outputs."""
    sizes = [int(size) for size in metadata["input"].split("x")]
    shape = sizes if len(sizes) == 3 else [2, *sizes]
    name = "planes" if len(sizes) == 3 else "features"
    outputs = ["value", "policy"] if int(metadata["policy"]) else ["value"]
    with warnings.catch_warnings():
        # The exporter that needs no further package calls itself the legacy one.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Named(model).eval(), (torch.zeros(2, *shape),), str(path), input_names=[name], output_names=outputs,
            dynamic_axes={name: {0: "batch"}, **{output: {0: "batch"} for output in outputs}},
            opset_version=17, dynamo=False,
        )  # fmt: skip
    graph = onnx.load(str(path))
    onnx.helper.set_model_props(graph, metadata)
    onnx.checker.check_model(graph, full_check=True)
    onnx.save(graph, str(path))
    return name, shape, outputs


def difference(model, path, name, shape, outputs):
    """The largest difference between onnxruntime and PyTorch over batches of 1, 2 and 65."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    generator = numpy.random.default_rng(1)
    worst = 0.0
    for batch in (1, 2, 65):
        inputs = (generator.random((batch, *shape)) < 0.3).astype(numpy.float32)
        with torch.no_grad():
            expected = [output.numpy() for output in model(torch.from_numpy(inputs)) if output is not None]
        for found, wanted in zip(session.run(outputs, {name: inputs}), expected, strict=True):
            assert found.shape == wanted.shape, (found.shape, wanted.shape)
            worst = max(worst, float(numpy.abs(found - wanted).max()))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", type=pathlib.Path)
    parser.add_argument("onnx", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        metadata, model = treeline_net.load(arguments.network)
    except Exception as error:
        sys.exit(f"{arguments.network}: {error}; `treeline net check` says more")
    worst = difference(model, arguments.onnx, *export(metadata, model, arguments.onnx))
    print(f"{arguments.onnx}: {metadata['architecture']}, onnxruntime {onnxruntime.__version__} differs from PyTorch by {worst:.1e} at most")
    if not worst <= 1e-5:
        sys.exit("that is too much")


if __name__ == "__main__":
    main()
