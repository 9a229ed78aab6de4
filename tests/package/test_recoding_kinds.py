"""Only a few places tell the kinds of recodings apart; everything else asks the recoding."""

import ast
from pathlib import Path

import lookalike

ROOT = Path(lookalike.__file__).parent
KINDS = {"Levels", "Cuts", "CellMap", "OutOfCoreProblem", "Evaluation"}
CHECKED_ARGUMENTS = {  # what a caller passed, or a room of the verifier was given, is of one kind
    "search/cuts/k_optimize.py",
    "search/papers/minimality.py",
    "solution/recoding.py",
    "verifier/claim/cells/recoding.py",
    "verifier/claim/cuts/recoding.py",
    "verifier/claim/guarantee.py",
    "verifier/claim/lattice/recoding.py",
}


def named(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def kind_checks(tree):
    """The kinds that the isinstance calls of a module name."""
    return [
        kinds
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and (kinds := named(node.args[1]) & KINDS)
    ]


def test_no_module_tells_recodings_apart_by_their_type():
    found = {
        str(path.relative_to(ROOT)): tests
        for path in ROOT.rglob("*.py")
        if (tests := kind_checks(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found.keys() <= CHECKED_ARGUMENTS
    for tests in found.values():
        assert len({kind for kinds in tests for kind in kinds}) == 1 or tests == [
            {"Levels", "CellMap"}
        ]
