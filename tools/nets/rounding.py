#!/usr/bin/env python3
"""What whole numbers cost an incrementally updated network: its weights as they are in the file next to what the program makes of them,
on positions of a learning run's games, by how well each predicts the searches' values and the games' results.

    python3 tools/nets/rounding.py run/networks/g000065.safetensors 'run/data/g00009*.npy'

Data of generations behind the network's are positions that its training never saw. Needs numpy. The limit of sums in 16 bits, which
makes a row's unit a little coarser in the program, is left out.
"""

import glob
import json
import struct
import sys

import numpy as np

ROWS = 40_000


def tensors(path: str) -> dict[str, np.ndarray]:
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<Q", content[:8])[0]
    found = {}
    for name, entry in json.loads(content[8 : 8 + length]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            numbers = np.frombuffer(content[8 + length + begin : 8 + length + end], dtype=np.float32)
            found[name] = numbers.reshape(entry["shape"]).astype(np.float64)
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    net, files = tensors(sys.argv[1]), sorted(glob.glob(sys.argv[2]))
    if not files:
        sys.exit(f"no file is called {sys.argv[2]}")
    rows = np.concatenate([np.load(file) for file in files])
    rows = rows[rows["kind"] == 1]
    rows = rows[np.random.default_rng(1).permutation(len(rows))[:ROWS]]
    weight, bias = net["accumulator.weight"], net["accumulator.bias"]
    hidden, features = weight.shape
    words = np.ascontiguousarray(rows["features"]).view(np.uint8).reshape(len(rows), 2, -1)
    seen = np.unpackbits(words, axis=2, bitorder="little")[:, :, :features].astype(np.float64)

    stages = net.get("stages", np.zeros(1))
    stage = (seen[:, 0].sum(1, keepdims=True) >= stages).sum(1) - 1

    def value(activations: np.ndarray, layer1: np.ndarray) -> np.ndarray:
        inner = activations.reshape(len(rows), 2 * hidden) @ layer1.T + net["layer1.bias"]
        weight, bias = net["layer2.weight"], net["layer2.bias"]
        totals = (np.clip(inner, 0, 1).reshape(len(rows), *weight.shape) * weight).sum(2) + bias
        return np.tanh(totals[np.arange(len(rows)), stage])

    exact = np.clip(seen @ weight.T + bias, 0, 1)
    furthest = max((np.maximum(sign * weight, 0).sum(1) + sign * bias).max() for sign in (1, -1))
    shift = max(s for s in range(1, 8) if furthest < (32767 - (features + 1) / 2) / (127 << s))
    sums = seen @ np.round(weight * (127 << shift)).T + np.round(bias * (127 << shift))
    whole = np.clip(np.floor(sums / 2**shift + 0.5), 0, 127) / 127
    unit = np.abs(net["layer1.weight"]).max(1, keepdims=True) / 127
    layer1 = np.round(net["layer1.weight"] / unit) * unit
    floats, integers = value(exact, net["layer1.weight"]), value(whole, layer1)
    print(f"{len(rows)} positions; mean distance {np.abs(integers - floats).mean():.4f}, ", end="")
    print(f"of activations alone {np.abs(value(whole, net['layer1.weight']) - floats).mean():.4f}")
    for name in ["value", "result"]:
        wanted = rows[name].astype(np.float64)
        errors = [f"{np.mean((found - wanted) ** 2):.5f}" for found in (floats, integers)]
        print(f"mean squared error to the {name}: as in the file {errors[0]}, in whole numbers {errors[1]}")


if __name__ == "__main__":
    main()
