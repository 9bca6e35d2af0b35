"""What PyTorch makes of the networks in a folder, for pytorch.rs.

For each NAME.safetensors: the answers to NAME.inputs go to NAME.outputs, as 32-bit floats, values before logits.
Before that, for each line `NAME ARCHITECTURE INPUT POLICY` of the file `wanted` a network with batch norms is made, as
training would leave it: odd ones through treeline_net.save, even ones as a state_dict with everything PyTorch keeps.
"""

import pathlib
import sys

import numpy
import torch
from safetensors.torch import save_file

sys.path.insert(0, str(pathlib.Path(__file__).parent / "../../tools/nets"))
import treeline_net

folder = pathlib.Path(sys.argv[1])
torch.manual_seed(1)
for number, line in enumerate((folder / "wanted").read_text().splitlines()):
    name, architecture, sizes, policy = line.split()
    model = treeline_net.build(architecture, [int(size) for size in sizes.split("x")], int(policy), norm=True)
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.num_batches_tracked += 5
            for tensor in (module.weight.data, module.running_var):
                tensor.uniform_(0.5, 2.0)
            # Mostly above 0, so that no ReLU swallows a whole head.
            module.bias.data.uniform_(0.5, 1.5)
            module.running_mean.uniform_(-0.5, 0.5)
    path = folder / f"{name}.safetensors"
    about = dict(game="g", architecture=architecture, policy=policy, view="player-one", scale=0.5, origin="a test")
    if number % 2:
        treeline_net.save(path, model, encoding=1, input=[int(size) for size in sizes.split("x")], **about)
    else:
        about.update(treeline="1", variant="", encoding="1", input=sizes, format="pt")
        save_file(model.state_dict(), path, {key: str(value) for key, value in about.items()})

for path in sorted(folder.glob("*.safetensors")):
    metadata, model = treeline_net.load(path)
    sizes = [int(size) for size in metadata["input"].split("x")]
    # Features come as the mover sees them, then as the other does.
    sizes = [2, *sizes] if len(sizes) == 1 else sizes
    inputs = numpy.fromfile(path.with_suffix(".inputs"), numpy.float32).reshape(-1, *sizes)
    with torch.no_grad():
        outputs = [output.numpy().ravel() for output in model(torch.from_numpy(inputs)) if output is not None]
    numpy.concatenate(outputs).tofile(path.with_suffix(".outputs"))
print("PyTorch", torch.__version__)
