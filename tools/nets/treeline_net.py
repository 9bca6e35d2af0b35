"""Treeline's network files in Python, and every architecture as a PyTorch module. docs/networks.md explains both.

    treeline_net.save("my.safetensors", model, game="breakthrough", architecture="cnet(64,100)", encoding=2,
                      input=(2, 8, 8))
    metadata, model = treeline_net.load("my.safetensors")
    values, logits = model(planes)         # [batch], [batch, policy] or None

Needs torch and safetensors.
"""

import re

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

KEYS = ["treeline", "game", "variant", "architecture", "encoding", "input", "policy", "view", "scale", "origin"]


def save(path, model, *, game, architecture, encoding, input, policy=0, variant="", view="mover", scale=1.0, origin=""):
    """Writes a module or a state_dict as a network file.

    `encoding` is the version of the planes or features that the network was fed (docs/networks.md), which `treeline net planes`
    says; `input` is (planes, rows, columns), or the number of features of one side for inc; `view` is whose value comes out,
    "mover" or "player-one"; `scale` is what to multiply it with so that it is in [-1, 1].
    """
    state = model.state_dict() if isinstance(model, nn.Module) else model
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in state.items() if tensor.is_floating_point()}
    sizes = [input] if isinstance(input, int) else input
    values = [1, game, variant, architecture, encoding, "x".join(map(str, sizes)), policy, view, float(scale), origin]
    save_file(tensors, str(path), {key: str(value) for key, value in zip(KEYS, values)})


def read(path):
    """The metadata, as strings, and the tensors of a network file."""
    with safe_open(str(path), "pt") as file:
        metadata = file.metadata() or {}
        tensors = {name: file.get_tensor(name).float() for name in file.keys()}
    if metadata.get("treeline") != "1":
        raise ValueError(f"{path}: not a network of format version 1")
    return metadata, tensors


def load(path):
    """The metadata and the network as a module in evaluation mode."""
    metadata, tensors = read(path)
    norm = any(name.endswith("running_mean") for name in tensors)
    sizes = [int(size) for size in metadata["input"].split("x")]
    model = build(metadata["architecture"], sizes, int(metadata["policy"]), norm)
    # What folding needs is in the file; the count of batches and biases before a batch norm may not be.
    optional = {name for name in model.state_dict() if name.endswith("num_batches_tracked")}
    if norm:
        optional |= {name for name in model.state_dict() if re.search(r"\bconv\d?\.bias$", name)}
    for name in optional - tensors.keys():
        tensors[name] = torch.zeros_like(model.state_dict()[name])
    model.load_state_dict(tensors)
    return metadata, model.eval()


# What makes a module, by the name of its architecture; `architecture` fills it.
ARCHITECTURES = {}


class Board:
    """What a network is for: its input and, 0 without one, its policy; `norm` puts batch norms behind convolutions."""

    def __init__(self, input, policy, norm):
        self.input, self.policy, self.norm = input, policy, norm


def architecture(name, **fixed):
    """Names a module that is made of a `Board`, the sizes of its architecture, and what is `fixed` for this name."""

    def register(module):
        ARCHITECTURES[name] = lambda board, *sizes: module(board, *sizes, **fixed)
        return module

    return register


def build(architecture, input, policy=0, norm=False):
    """A fresh module for `architecture`; `norm` puts a batch norm behind the convolutions of a0 and fcgp."""
    name, sizes = re.fullmatch(r"\s*(\w+)\s*\(([\d\s,]*)\)\s*", architecture).groups()
    if name not in ARCHITECTURES:
        raise ValueError(f"{__file__} has no module for the architecture {name}, only for {', '.join(ARCHITECTURES)}")
    sizes = [int(size) for size in sizes.split(",")]
    return ARCHITECTURES[name](Board([input] if isinstance(input, int) else input, policy, norm), *sizes)


@architecture("cnet", ring=True)
@architecture("cnet_msb", ring=False)
class CNet(nn.Module):
    def __init__(self, board, filters, neurons, ring):
        super().__init__()
        planes, rows, columns = board.input
        self.ring = ring
        self.conv1 = nn.Conv2d(planes, filters, 3, padding=int(ring))
        self.conv2 = nn.Conv2d(filters, filters, 3)
        self.conv3 = nn.Conv2d(filters, filters, 3)
        left = 6 - 2 * ring
        self.dense = nn.Linear(filters * (rows - left) * (columns - left), neurons)
        self.value = nn.Linear(neurons, 1)

    def forward(self, planes):
        x = F.relu(self.conv3(F.relu(self.conv2(F.relu(self.conv1(planes))))))
        x = self.value(F.relu(self.dense(x.flatten(1)))).squeeze(1)
        return (torch.tanh(x) if self.ring else x), None


@architecture("r1", blocks=2)
@architecture("r2", blocks=8)
class R(nn.Module):
    def __init__(self, board, filters, neurons, blocks):
        super().__init__()
        planes, rows, columns = board.input
        self.conv = nn.Conv2d(planes, filters, 3, padding=1)
        self.blocks = nn.ModuleList(Pair(filters, False) for _ in range(blocks))
        inputs = filters * rows * columns
        if blocks == 2:
            self.squeeze = nn.Conv2d(filters, filters, 1)
            self.dense = nn.Linear(inputs, neurons)
        else:
            self.dense1 = nn.Linear(inputs, neurons)
            self.dense2 = nn.Linear(neurons, neurons)
        self.value = nn.Linear(neurons, 1)

    def forward(self, planes):
        x = self.conv(planes)
        for block in self.blocks:
            x = x + F.relu(block.conv2(F.relu(block.conv1(F.relu(x)))))
        if hasattr(self, "squeeze"):
            x = F.relu(self.dense(self.squeeze(x).flatten(1)))
        else:
            x = F.relu(self.dense2(F.relu(self.dense1(x.flatten(1)))))
        return self.value(x).squeeze(1), None


@architecture("a0", pooled=False)
@architecture("fcgp", pooled=True)
class A0(nn.Module):
    def __init__(self, board, blocks, filters, neurons=256, pooled=False):
        super().__init__()
        policy, norm = board.policy, board.norm
        planes, rows, columns = board.input
        cells = rows * columns
        self.conv = nn.Conv2d(planes, filters, 3, padding=1)
        self.bn = nn.BatchNorm2d(filters) if norm else nn.Identity()
        self.blocks = nn.ModuleList(Pair(filters, norm) for _ in range(blocks))
        self.value = nn.Module()
        self.policy = nn.Module() if policy else None
        self.pooled = pooled
        if not pooled:
            self.value.conv = nn.Conv2d(filters, 1, 1)
            self.value.bn = nn.BatchNorm2d(1) if norm else nn.Identity()
        self.value.dense1 = nn.Linear(2 * filters if pooled else cells, neurons)
        self.value.dense2 = nn.Linear(neurons, 1)
        if policy and pooled:
            self.policy.conv = nn.Conv2d(filters, policy // cells, 1)
        elif policy:
            self.policy.conv = nn.Conv2d(filters, 2, 1)
            self.policy.bn = nn.BatchNorm2d(2) if norm else nn.Identity()
            self.policy.dense = nn.Linear(2 * cells, policy)

    def forward(self, planes):
        x = F.relu(self.bn(self.conv(planes)))
        for block in self.blocks:
            y = F.relu(block.bn1(block.conv1(x)))
            x = F.relu(x + block.bn2(block.conv2(y)))
        if self.pooled:
            seen = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)
        else:
            seen = F.relu(self.value.bn(self.value.conv(x))).flatten(1)
        value = torch.tanh(self.value.dense2(F.relu(self.value.dense1(seen)))).squeeze(1)
        if self.policy is None:
            return value, None
        if self.pooled:
            return value, self.policy.conv(x).flatten(1)
        return value, self.policy.dense(F.relu(self.policy.bn(self.policy.conv(x))).flatten(1))


@architecture("fast")
class Fast(nn.Module):
    def __init__(self, board, features):
        super().__init__()
        planes, rows, columns = board.input
        self.conv = nn.Conv2d(planes, features, 3, padding=1) if features else None
        inputs = (features or planes) * rows * columns
        self.value = nn.Linear(inputs, 1)
        self.policy = nn.Linear(inputs, board.policy) if board.policy else None

    def forward(self, planes):
        x = (F.relu(self.conv(planes)) if self.conv else planes).flatten(1)
        return torch.tanh(self.value(x)).squeeze(1), self.policy(x) if self.policy else None


class Pair(nn.Module):
    """The two convolutions of a residual block."""

    def __init__(self, filters, norm):
        super().__init__()
        self.conv1 = nn.Conv2d(filters, filters, 3, padding=1)
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1)
        if norm:
            self.bn1, self.bn2 = nn.BatchNorm2d(filters), nn.BatchNorm2d(filters)
        else:
            self.bn1, self.bn2 = nn.Identity(), nn.Identity()


@architecture("inc")
class Inc(nn.Module):
    """Takes the features of both sides, the mover's first: [batch, 2, features] of 0 and 1.

    `stages` of a new one say 0, 1, 2, … features: set the buffer to what the fewest are of each stage of the game."""

    def __init__(self, board, accumulators, neurons=16, stages=1):
        super().__init__()
        (features,) = board.input
        self.accumulator = nn.Linear(features, accumulators)
        self.layer1 = nn.Linear(2 * accumulators, stages * neurons)
        self.layer2 = nn.Linear(neurons, stages)
        if stages > 1:
            self.register_buffer("stages", torch.arange(stages, dtype=torch.float))

    def last(self, x, features):
        """What the last layer of each position's stage makes of all stages' neurons."""
        stages, neurons = self.layer2.weight.shape
        totals = (x.unflatten(1, (stages, neurons)) * self.layer2.weight).sum(2) + self.layer2.bias
        if stages == 1:
            return totals.squeeze(1)
        stage = (features[:, 0].sum(1, keepdim=True) >= self.stages).sum(1, keepdim=True) - 1
        return totals.gather(1, stage).squeeze(1)

    def forward(self, features):
        x = torch.clamp(self.accumulator(features), 0, 1).flatten(1)
        return torch.tanh(self.last(torch.clamp(self.layer1(x), 0, 1), features)), None


@architecture("patterns")
class Patterns(nn.Module):
    """Takes what Inc takes, and looks at the mover's view alone. Its tables come with the tensors that are loaded."""

    def __init__(self, board, stages):
        super().__init__()
        (self.input,) = board.input
        self.register_buffer("stages", torch.arange(stages, dtype=torch.float))
        self.bias = nn.Parameter(torch.zeros(stages))
        self.tables = []

    def load_state_dict(self, tensors, **options):
        self.tables = [name for name in (f"table{k}" for k in range(len(tensors))) if f"{name}.weight" in tensors]
        for name in self.tables:
            table = nn.Module()
            for part in ("features", "mirror"):
                table.register_buffer(part, torch.empty_like(tensors[f"{name}.{part}"]))
            table.weight = nn.Parameter(torch.empty_like(tensors[f"{name}.weight"]))
            setattr(self, name, table)
        return super().load_state_dict(tensors, **options)

    def forward(self, features):
        own = features[:, 0]
        stage = (own.sum(1, keepdim=True) >= self.stages).sum(1) - 1
        total = self.bias[stage]
        for table in (getattr(self, name) for name in self.tables):
            _, cells, states = table.features.shape
            digits = (own[:, table.features.long()] * torch.arange(1, states + 1)).sum(3)
            numbers = (digits.long() * (states + 1) ** torch.arange(cells)).sum(2)
            total = total + table.weight[stage[:, None], numbers.clamp(max=table.weight.shape[1] - 1)].sum(1)
        return torch.tanh(total), None
