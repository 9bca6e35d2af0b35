"""The package itself: what its stubs, its README and its manual say is so."""

import ast
import pathlib
import re
import subprocess
import sys

import pytest
import treeline
from treeline import _treeline

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUBS = pathlib.Path(treeline.__file__).with_name("_treeline.pyi")


def blocks(page):
    """The Python scripts of a page of the repository."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def test_stubs_name_what_there_is_and_nothing_else():
    tree = ast.parse(STUBS.read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    public = {name for name in dir(_treeline) if not name.startswith("_")}
    assert classes.keys() | functions | {"statistics"} == public
    for name, node in classes.items():
        if issubclass(getattr(_treeline, name), Exception):
            continue
        declared = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        declared |= {part.target.id for part in node.body if isinstance(part, ast.AnnAssign)}
        there = {name for name in vars(getattr(_treeline, name)) if not name.startswith("_")}
        assert {name for name in declared if not name.startswith("_")} == there, name


def test_stubs_have_the_parameters_that_there_are():
    tree = ast.parse(STUBS.read_text(encoding="utf-8"))
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        for part in node.body:
            if not isinstance(part, ast.FunctionDef) or part.name.startswith("__") or part.decorator_list:
                continue
            text = getattr(getattr(_treeline, node.name), part.name).__text_signature__
            there = [word for word in re.findall(r"\$?(\w+)(?=[,=)])", text.replace("=None", "=0")) if not word.isdigit()]
            declared = [argument.arg for argument in part.args.args + part.args.kwonlyargs]
            assert [word for word in there if word not in ("self", "False", "True")] == declared[1:], (node.name, part.name)


def test_everything_is_documented():
    for name in treeline.__all__:
        thing = getattr(treeline, name)
        if name.startswith("__"):
            continue
        assert thing.__doc__, name
        if isinstance(thing, type) and thing.__module__ == "treeline":
            parts = {part: value for part, value in vars(thing).items() if not part.startswith("_")}
            assert all(value.__doc__ for value in parts.values()), (name, [p for p, v in parts.items() if not v.__doc__])


def test_the_readmes_script_runs():
    (script,) = blocks("README.md")
    assert len(script.strip().splitlines()) == 10
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=True)
    assert "[1.0, -1.0]" in done.stdout or "[-1.0, 1.0]" in done.stdout


@pytest.mark.parametrize("number", range(len(blocks("docs/python.md"))))
def test_the_manuals_scripts_run(number):
    script = blocks("docs/python.md")[number]
    subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=True, cwd=ROOT)


def test_the_manual_names_everything():
    manual = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    for name in treeline.__all__:
        assert name.startswith("__") or name in manual, name
    for thing in (treeline.Game, treeline.State, treeline.Batch, treeline.Engine):
        for part in vars(thing):
            assert part.startswith("_") or part in manual, (thing.__name__, part)


def test_warnings_of_the_engine_go_to_the_logger(caplog):
    treeline.Engine(treeline.load("hex size=5"), "greedy", threads=8, memory=64)
    assert [(record.name, record.levelname) for record in caplog.records] == [("treeline", "WARNING")]
    assert "one thread, not on 8" in caplog.text
