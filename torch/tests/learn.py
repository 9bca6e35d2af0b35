"""What PyTorch makes of the lessons in a folder, for gradients.rs.

For each NAME.safetensors one step is learned from NAME.inputs, NAME.values, NAME.least and NAME.most (the errors that count),
and, where there are any, NAME.policies and NAME.weights; all as 32-bit floats. The gradients of all tensors, in the order of
their names, go to NAME.gradients; the weights after STEPS steps of Adam to NAME.learned; all as 64-bit floats.
"""

import pathlib
import sys

import numpy
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent / "../../tools/nets"))
import treeline_net

folder, steps, rate, decay, decoupled, factor = sys.argv[1:]
torch.set_default_dtype(torch.float64)


class Leaky(torch.autograd.Function):
    """A clipped ReLU through which a tenth of those gradients gets that lead back into its range."""

    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x.clamp(0, 1)

    @staticmethod
    def backward(context, gradient):
        (x,) = context.saved_tensors
        within = (x >= 0) & (x <= 1)
        back = ((x < 0) & (gradient < 0)) | ((x > 1) & (gradient > 0))
        return gradient * (within + 0.1 * back)


def inc(model, features):
    x = torch.clamp(model.accumulator(features), 0, 1).flatten(1)
    return torch.tanh(model.last(Leaky.apply(model.layer1(x)), features)), None


def floats(path):
    return torch.from_numpy(numpy.fromfile(path, numpy.float32).astype(numpy.float64))


for path in sorted(pathlib.Path(folder).glob("*.safetensors")):
    metadata, model = treeline_net.load(path)
    model = model.double()
    sizes = [int(size) for size in metadata["input"].split("x")]
    sizes = [2, *sizes] if len(sizes) == 1 else sizes
    inputs = floats(path.with_suffix(".inputs")).reshape(-1, *sizes)
    values, least, most = (floats(path.with_suffix(s)) for s in (".values", ".least", ".most"))
    parameters = dict(sorted(model.named_parameters()))
    groups = [{"params": list(parameters.values()), "weight_decay": float(decay)}]
    adam = torch.optim.Adam(groups, lr=float(rate))
    for step in range(int(steps)):
        learner = inc if isinstance(model, treeline_net.Inc) else type(model).__call__
        answers, logits = learner(model, inputs)
        errors = torch.clamp(answers.reshape(-1) - values, least, most)
        loss = (errors**2).mean()
        if path.with_suffix(".policies").exists():
            rows = len(values)
            wanted = floats(path.with_suffix(".policies")).reshape(rows, -1)
            counts = floats(path.with_suffix(".weights"))
            entropies = -(wanted * torch.log_softmax(logits.reshape(rows, -1), 1)).sum(1)
            loss = loss + float(factor) * (entropies * counts).sum() / rows
        adam.zero_grad()
        loss.backward()
        gradients = [p.grad.numpy().ravel() for p in parameters.values()]
        if step == 0:
            numpy.concatenate(gradients).tofile(path.with_suffix(".gradients"))
        with torch.no_grad():
            for parameter in parameters.values():
                parameter *= 1 - float(rate) * float(decoupled)
        adam.step()
    learned = [p.detach().numpy().ravel() for p in parameters.values()]
    numpy.concatenate(learned).tofile(path.with_suffix(".learned"))
print("PyTorch", torch.__version__)
