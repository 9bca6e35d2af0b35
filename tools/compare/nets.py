#!/usr/bin/env python3
"""Speed of the CPU kernels next to onnxruntime and PyTorch: the same networks, inputs and core, in turns.

    cargo build --release -p treeline-nets --example speed
    taskset -c 0 python tools/compare/nets.py --output docs/results/nets-cpu.md

Needs torch, safetensors, onnx and onnxruntime. Each has one thread; rates are per CPU second, so that other work on the
core disturbs little. The sides take turns, round by round; figures are medians of the rounds. With --output the page's
tables, from the marker on, are written anew. Ends with status 1 if values differ or a required ratio does not hold.
"""

import argparse
import datetime
import json
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/nets"))

try:
    import numpy
    import onnxruntime
    import torch

    import export_onnx
    import treeline_net
except ImportError as error:
    sys.exit(f"{error}: torch, safetensors, onnx, onnxruntime and numpy are needed")

MARKER = "<!-- From here on written by tools/compare/nets.py -->"
BATCHES = [1, 22, 256]
NETWORKS = ["cnet(64,100)", "a0(6,64)"]
# (what, left side, right side, least ratio), at batch 22
REQUIRED = [
    ("cnet(64,100): f32 to onnxruntime", ("cnet(64,100)", "f32"), ("cnet(64,100)", "onnxruntime"), 1.05),
    ("cnet(64,100): f32 to PyTorch", ("cnet(64,100)", "f32"), ("cnet(64,100)", "PyTorch"), 2.5),
    ("cnet(64,100): int8 to f32", ("cnet(64,100)", "int8"), ("cnet(64,100)", "f32"), 3.0),
    ("a0(6,64): f32 to onnxruntime", ("a0(6,64)", "f32"), ("a0(6,64)", "onnxruntime"), 1.0),
]  # fmt: skip


class Peer:
    """A network in onnxruntime or PyTorch."""

    def __init__(self, path, folder):
        metadata, self.model = treeline_net.load(path)
        onnx = folder / (path.stem + ".onnx")
        self.name, _, self.outputs = export_onnx.export(metadata, self.model, onnx)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(onnx), options, providers=["CPUExecutionProvider"])

    def onnxruntime(self, planes):
        return self.session.run(self.outputs, {self.name: planes})[0]

    def pytorch(self, planes):
        with torch.inference_mode():
            return self.model(torch.from_numpy(planes))[0].numpy()


def rate(run, planes, seconds):
    values = run(planes)
    begin, evaluations, spent = time.process_time(), 0, 0.0
    while spent < seconds:
        run(planes)
        evaluations += len(planes)
        spent = time.process_time() - begin
    return values, evaluations / spent


def measure(binary, rounds, seconds):
    """Rates by (network, side, batch), shares of the peak, and the largest difference between f32 values."""
    rates, shares, peaks, apart = {}, {}, {}, 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = [str(binary), "--seconds", str(seconds), "--write", name]
        peers = {}
        for turn in range(rounds):
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            if not peers:
                peers = {n: Peer(folder / f"{n}.safetensors", folder) for n in NETWORKS}
                planes = numpy.fromfile(folder / "planes.f32", numpy.float32).reshape(-1, 2, 8, 8)
            values = {}
            for n, peer in peers.items():
                for batch in BATCHES:
                    for side, run in [("onnxruntime", peer.onnxruntime), ("PyTorch", peer.pytorch)]:
                        found, speed = rate(run, planes[:batch], seconds)
                        values[n, batch] = found[:22]
                        rates.setdefault((n, side, batch), []).append(speed)
            for line in map(json.loads, output.splitlines()):
                n, batch, speed = line["network"], line["batch"], line["evaluations_per_second"]
                side = f"{line['precision']} {line['isa']}"
                rates.setdefault((n, side, batch), []).append(speed)
                share = speed * line["multiplications"] / line["f32_peak_per_second"]
                shares.setdefault((n, side, batch), []).append(share)
                peaks.setdefault(line["isa"], []).append(line["f32_peak_per_second"])
                if line["precision"] == "f32":
                    apart = max(apart, float(numpy.abs(values[n, batch] - line["values"]).max()))
            print(f"round {turn + 1} of {rounds}", file=sys.stderr)
    return rates, shares, peaks, apart


def model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def report(rates, shares, peaks, apart, rounds, seconds):
    lines, median = [], numpy.median
    head = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    lines += [
        f"- Date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC; commit {head.stdout.strip()}",
        f"- Processor: {model()}, one core; load {' '.join(pathlib.Path('/proc/loadavg').read_text().split()[:3])}",
        f"- onnxruntime {onnxruntime.__version__}, PyTorch {torch.__version__}, one thread each",
        f"- Medians of {rounds} rounds of {seconds} CPU seconds each; largest difference between values in f32 {apart:.1e}",
    ]
    for isa in ["avx512", "avx2"]:
        if isa in peaks:
            lines.append(f"- f32 peak measured with {isa}: {median(peaks[isa]) / 1e9:.1f} thousand million products a second")
    for network in NETWORKS:
        lines += ["", f"## {network}", "", "Evaluations a CPU second; in brackets lowest and highest round.", ""]
        lines += ["| | batch 1 | batch 22 | batch 256 | share of f32 peak at 22 | best round |", "| :-- | --: | --: | --: | --: | --: |"]
        for side in dict.fromkeys(s for n, s, _ in rates if n == network):
            cells = [rates[network, side, batch] for batch in BATCHES]
            cells = [f"{median(c):,.0f} ({min(c):,.0f}–{max(c):,.0f})" for c in cells]
            share = shares.get((network, side, 22))
            cells += [f"{median(share):.0%}", f"{max(share):.0%}"] if share and side.startswith("f32") else ["", ""]
            lines.append(f"| {side} | {' | '.join(cells)} |")
    lines += ["", "## Required, at batch 22", "", "| | ratio | required | holds |", "| :-- | --: | --: | :-- |"]

    def best(network, side):
        return max(numpy.median(r) for (n, s, b), r in rates.items() if n == network and s.startswith(side) and b == 22)

    holds = apart <= 1e-5
    for what, left, right, least in REQUIRED:
        ratio = best(*left) / best(*right)
        holds &= ratio >= least
        lines.append(f"| {what} | {ratio:.2f} | {least} | {'yes' if ratio >= least else '**no**'} |")
    return "\n".join(lines) + "\n", holds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/examples/speed")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()
    if not arguments.binary.exists():
        sys.exit(f"{arguments.binary} is missing: cargo build --release -p treeline-nets --example speed")
    torch.set_num_threads(1)
    measured = measure(arguments.binary.resolve(), arguments.rounds, arguments.seconds)
    text, holds = report(*measured, arguments.rounds, arguments.seconds)
    if arguments.output:
        before = arguments.output.read_text().partition(MARKER)[0] if arguments.output.exists() else ""
        arguments.output.write_text(f"{before}{MARKER}\n\n{text}")
    print(text)
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
