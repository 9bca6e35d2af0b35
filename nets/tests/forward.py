"""What PyTorch makes of a network file, by modules written here from the papers: forward.py NETWORK INPUTS

INPUTS is [batch, planes, rows, columns] as 32-bit floats, nothing else. Prints a line a position: the value, then the
logits. Needs torch and safetensors; tools/libtorch/python.sh runs it without the CUDA libraries.
"""

import re
import sys

import numpy
import torch
from safetensors import safe_open
from torch import nn


class AlphaZeroBlock(nn.Module):
    def __init__(self, filters):
        super().__init__()
        self.conv1 = nn.Conv2d(filters, filters, 3, padding=1)
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1)

    def forward(self, x):
        return torch.relu(x + self.conv2(torch.relu(self.conv1(x))))


class DescentBlock(AlphaZeroBlock):
    def forward(self, x):
        return x + torch.relu(self.conv2(torch.relu(self.conv1(torch.relu(x)))))


class CNet(nn.Module):
    """Three convolutions that shrink the board; `ring` of zeros around it and tanh, or neither."""

    def __init__(self, planes, rows, columns, filters, neurons, ring):
        super().__init__()
        self.ring = ring
        self.conv1 = nn.Conv2d(planes, filters, 3, padding=1 if ring else 0)
        self.conv2 = nn.Conv2d(filters, filters, 3)
        self.conv3 = nn.Conv2d(filters, filters, 3)
        less = 4 if ring else 6
        self.dense = nn.Linear(filters * (rows - less) * (columns - less), neurons)
        self.value = nn.Linear(neurons, 1)

    def forward(self, x):
        for conv in (self.conv1, self.conv2, self.conv3):
            x = torch.relu(conv(x))
        value = self.value(torch.relu(self.dense(x.flatten(1))))
        return (torch.tanh(value) if self.ring else value), None


class Descent(nn.Module):
    """r1 with `squeeze`, r2 with two dense layers."""

    def __init__(self, planes, rows, columns, filters, neurons, one):
        super().__init__()
        self.one = one
        self.conv = nn.Conv2d(planes, filters, 3, padding=1)
        self.blocks = nn.ModuleList(DescentBlock(filters) for _ in range(2 if one else 8))
        if one:
            self.squeeze = nn.Conv2d(filters, filters, 1)
            self.dense = nn.Linear(filters * rows * columns, neurons)
        else:
            self.dense1 = nn.Linear(filters * rows * columns, neurons)
            self.dense2 = nn.Linear(neurons, neurons)
        self.value = nn.Linear(neurons, 1)

    def forward(self, x):
        x = self.conv(x)
        for block in self.blocks:
            x = block(x)
        dense = [self.dense] if self.one else [self.dense1, self.dense2]
        x = (self.squeeze(x) if self.one else x).flatten(1)
        for layer in dense:
            x = torch.relu(layer(x))
        return self.value(x), None


class Tower(nn.Module):
    """AlphaZero's tower; with `pooled` the heads do not depend on the board."""

    def __init__(self, planes, rows, columns, policy, blocks, filters, neurons, pooled):
        super().__init__()
        cells = rows * columns
        self.pooled = pooled
        self.conv = nn.Conv2d(planes, filters, 3, padding=1)
        self.blocks = nn.ModuleList(AlphaZeroBlock(filters) for _ in range(blocks))
        value = {"dense1": nn.Linear(2 * filters if pooled else cells, neurons), "dense2": nn.Linear(neurons, 1)}
        if not pooled:
            value["conv"] = nn.Conv2d(filters, 1, 1)
        self.value = nn.ModuleDict(value)
        self.policy = None
        if policy and pooled:
            self.policy = nn.ModuleDict({"conv": nn.Conv2d(filters, policy // cells, 1)})
        elif policy:
            self.policy = nn.ModuleDict({"conv": nn.Conv2d(filters, 2, 1), "dense": nn.Linear(2 * cells, policy)})

    def forward(self, x):
        x = torch.relu(self.conv(x))
        for block in self.blocks:
            x = block(x)
        if self.pooled:
            seen = torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)
        else:
            seen = torch.relu(self.value["conv"](x)).flatten(1)
        value = torch.tanh(self.value["dense2"](torch.relu(self.value["dense1"](seen))))
        if self.policy is None:
            return value, None
        logits = self.policy["conv"](x)
        if not self.pooled:
            logits = self.policy["dense"](torch.relu(logits).flatten(1))
        return value, logits.flatten(1)


def module(architecture, shape, policy):
    name, sizes = re.fullmatch(r"(\w+)\(([\d,]+)\)", architecture).groups()
    sizes = [int(size) for size in sizes.split(",")]
    if name in ("cnet", "cnet_msb"):
        return CNet(*shape, *sizes, ring=name == "cnet")
    if name in ("r1", "r2"):
        return Descent(*shape, *sizes, one=name == "r1")
    if name in ("a0", "fcgp"):
        sizes = (sizes + [256])[:3]
        return Tower(*shape, policy, *sizes, pooled=name == "fcgp")
    sys.exit(f"forward.py: no module for {architecture}")


def main():
    network, inputs = sys.argv[1:]
    torch.set_num_threads(1)
    with safe_open(network, framework="pt") as file:
        meta = file.metadata()
        weights = {name: file.get_tensor(name) for name in file.keys()}
    shape = [int(size) for size in meta["input"].split("x")]
    net = module(meta["architecture"], shape, int(meta["policy"]))
    net.load_state_dict(weights)
    planes = torch.from_numpy(numpy.fromfile(inputs, dtype="<f4").reshape(-1, *shape))
    with torch.no_grad():
        values, logits = net(planes)
    for row in values if logits is None else torch.cat([values, logits], dim=1):
        print(*(repr(float(number)) for number in row))


main()
