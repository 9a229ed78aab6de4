"""The table "Add a …" of CONTRIBUTING names what base classes ask for; the example follows it."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from lookalike import registry
from lookalike.registry import Registry

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tests" / "plugin_package"
POINTS = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["entry-points"]
REGISTRIES = {one.group: one for one in vars(registry).values() if isinstance(one, Registry)}


def table_rows():
    """Base class, names to define, entry point and contract of each row."""
    lines = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if "| `lookalike." in line:
            _, _, base, names, group, contract, _ = (cell.strip() for cell in line.split("|"))
            yield (
                base.strip("`"),
                set(re.findall(r"`(\w+)`", names)),
                *(cell.strip("`") for cell in (group, contract)),
            )


def defined(tree):
    """What the classes of a module define themselves: methods and class variables."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for statement in (one for node in classes for one in node.body):
        if isinstance(statement, ast.FunctionDef):
            yield statement.name
        elif isinstance(statement, ast.Assign):
            yield from (target.id for target in statement.targets)
        elif isinstance(statement, ast.AnnAssign):
            yield statement.target.id


def test_each_kind_has_a_row():
    assert {group for *_, group, _ in table_rows()} == set(REGISTRIES) == set(POINTS)


@pytest.mark.parametrize(("base", "names", "group", "contract"), list(table_rows()))
def test_a_row_is_complete_and_the_example_follows_it(base, names, group, contract):
    module, _, kind = base.rpartition(".")
    assert REGISTRIES[group].base == f"{module}:{kind}"
    assert getattr(import_module(module), kind).__abstractmethods__ <= names
    [(name, place)] = POINTS[group].items()
    path = PACKAGE / f"{place.partition(':')[0].replace('.', '/')}.py"
    own = set(defined(ast.parse(path.read_text())))
    assert names <= own
    assert f'{REGISTRIES[group].attribute} = "{name}"' in path.read_text()
    assert f"({contract})" in (PACKAGE / "tests" / "test_contracts.py").read_text()
