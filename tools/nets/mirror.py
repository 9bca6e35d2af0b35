#!/usr/bin/env python3
"""Makes of an `inc` network of Connect Four one that answers the same for a board and its mirror image: the mean of both answers.

    tools/libtorch/setup.sh --python
    tools/libtorch/python.sh tools/nets/mirror.py c4/network.safetensors mirrored.safetensors

The new network has twice the accumulators and twice the neurons behind them, half of them the old ones and half the old ones for the
mirrored board (before the last tanh, so the mean is of what goes into it); `treeline learn` can go on from it.
"""

import sys

import torch
import treeline_net


def mirrored(columns, rows):
    """Which feature of the mirrored board each feature is: games/connect-four/src/features.rs."""
    squares = columns * rows
    runs = [(columns - 1 - at // rows) * rows + at % rows for at in range(squares)]
    return [run * squares + at for run in range(4) for at in runs] + [4 * squares, 4 * squares + 1]


def doubled(tensors, order):
    """The tensors of both halves; layer1 takes the mover's accumulators first, then the other's."""
    weight, layer1 = tensors["accumulator.weight"], tensors["layer1.weight"]
    size = weight.shape[0]
    own, other, none = layer1[:, :size], layer1[:, size:], torch.zeros_like(layer1[:, :size])
    return {
        "accumulator.weight": torch.cat([weight, weight[:, order]]),
        "accumulator.bias": tensors["accumulator.bias"].repeat(2),
        "layer1.weight": torch.cat([torch.cat([own, none, other, none], 1), torch.cat([none, own, none, other], 1)]),
        "layer1.bias": tensors["layer1.bias"].repeat(2),
        "layer2.weight": tensors["layer2.weight"].repeat(1, 2) / 2,
        "layer2.bias": tensors["layer2.bias"],
    }


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    source, target = sys.argv[1:]
    metadata, tensors = treeline_net.read(source)
    game, variant, encoding = metadata["game"], metadata["variant"].split(), metadata["encoding"]
    if game != "connect-four" or not metadata["architecture"].startswith("inc") or encoding != "2":
        sys.exit(f"{source}: not an inc network of connect-four with version 2 of its features")
    if "stages" in tensors:
        sys.exit(f"{source}: has stages of the game, of which this program knows none")
    options = dict(word.split("=") for word in variant)
    order = mirrored(int(options.get("width", 7)), int(options.get("height", 6)))
    out = doubled(tensors, order)
    treeline_net.save(
        target,
        out,
        game=game,
        variant=metadata["variant"],
        architecture=f"inc({len(out['accumulator.bias'])},{len(out['layer1.bias'])})",
        encoding=encoding,
        input=len(order),
        view=metadata["view"],
        scale=float(metadata["scale"]),
        origin=metadata["origin"] + "; mean with its mirror image",
    )


if __name__ == "__main__":
    main()
