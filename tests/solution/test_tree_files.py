"""A proof by cuts on disk: what was written is read, and what was altered is refused."""

import base64
import json
import zlib

import numpy as np
import pandas as pd
import pytest

import lookalike as la
from lookalike.errors import LookalikeError
from lookalike.solution.solution_file import dumps, loads


@pytest.fixture(scope="module")
def solution():
    rng = np.random.default_rng(2)
    data = pd.DataFrame({a: rng.integers(0, 8, 120) for a in "xyz"})
    policy = la.Policy(
        quasi_identifiers={a: la.bands(2) for a in "xyz"},
        require=la.KAnonymity(4),
        suppress=10,
        metric="discernibility",
    )
    return la.solve(la.prepare(data, policy), "k-optimize")


def test_a_tree_is_read_as_it_was_written(solution):
    read = loads(dumps(solution))
    assert read.recoding == solution.recoding
    assert read.proof.tree.long == solution.proof.tree.long
    assert read.proof.tree.asked == solution.proof.tree.asked
    assert read.proof.tree.below == solution.proof.tree.below == solution.cost
    assert np.array_equal(read.proof.tree.marks, solution.proof.tree.marks)
    assert dumps(read) == dumps(solution)


def packed(marks: bytes) -> str:
    return base64.b64encode(zlib.compress(marks)).decode()


@pytest.mark.parametrize(
    "tree",
    [
        None,
        [],
        {},
        {"long": "x", "asked": "", "below": 9, "marks": "no base64!"},
        {"long": "x", "asked": "", "below": 9, "marks": base64.b64encode(b"not packed").decode()},
        {"long": "x", "asked": "", "below": 9, "marks": packed(b"odd")},
        {"long": 1, "asked": "", "below": 9, "marks": packed(b"\x00\x00")},
        {"long": "x", "below": 9, "marks": packed(b"\x00\x00")},
        {"long": "x", "asked": "", "below": 9, "marks": packed(b"\x00\x00"), "more": 1},
    ],
)
def test_a_tree_that_is_none_is_refused(solution, tree):
    content = json.loads(dumps(solution))
    content["proof"]["tree"] = tree
    with pytest.raises(LookalikeError):
        loads(json.dumps(content))
