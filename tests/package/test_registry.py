"""Names of other packages: found, loaded late, and never in the way of the built-in ones."""

import importlib.metadata
import warnings
from importlib.metadata import EntryPoint

import pytest

import lookalike as la
from lookalike.errors import PluginError
from lookalike.registry import ALGORITHMS, PluginWarning, Registry
from lookalike.search.auto_choice import named, names_to_compare
from lookalike.search.lattice.flash import Flash


class Distribution:
    """What an entry point says of the package it comes from."""

    def __init__(self, name, version="1.0"):
        self.name, self.version = name, version


def point(name, value, package="other"):
    made = EntryPoint(name, value, "lookalike.algorithms")
    vars(made)["dist"] = Distribution(package)
    return made


@pytest.fixture
def offered(monkeypatch):
    """A registry as it is with these entry points installed."""

    def install(*points):
        found = importlib.metadata.entry_points

        def entry_points(**asked):  # numba looks for its own
            return list(points) if asked == {"group": ALGORITHMS.group} else found(**asked)

        monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
        fresh = Registry(ALGORITHMS.kind, ALGORITHMS.group, ALGORITHMS.base, ALGORITHMS.builtin)
        monkeypatch.setattr("lookalike.search.auto_choice.ALGORITHMS", fresh)
        return fresh

    return install


class Slow(Flash):
    name = "slow"


def test_names_of_other_packages_come_after_the_built_in_ones(offered):
    registry = offered(point("slow", f"{__name__}:Slow"))
    assert registry.names == (*ALGORITHMS.builtin, "slow")
    assert registry.package("slow") == "other 1.0"
    assert registry.package("flash") is None
    assert "slow" in registry
    assert "slower" not in registry


def test_a_built_in_name_is_used_without_looking_at_other_packages(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", None)
    fresh = Registry(ALGORITHMS.kind, ALGORITHMS.group, ALGORITHMS.base, ALGORITHMS.builtin)
    assert fresh.load("flash") is Flash
    assert "flash" in fresh


def test_a_built_in_name_is_not_replaced(offered):
    registry = offered(point("flash", "nowhere:Nothing"))
    with pytest.warns(PluginWarning, match="other 1.0 offers the algorithm 'flash'"):
        assert registry.names == tuple(ALGORITHMS.builtin)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # said once
        assert registry.load("flash") is Flash


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ([("x", "no_such_module:X")], "other 1.0 cannot be loaded: ModuleNotFoundError"),
        ([("x", "lookalike.errors:Nothing")], "other 1.0 cannot be loaded: AttributeError"),
        ([("x", "lookalike.errors:Fault")], "other 1.0 is not a class that inherits"),
        ([("x", "lookalike.search.lattice.flash:Flash")], "calls itself 'flash'"),
        ([("x", "a:A"), ("x", "b:B")], "other 1.0 and other 1.0 offer the same name"),
    ],
)
def test_a_faulty_package_is_named_when_its_name_is_used_and_not_before(offered, points, problem):
    registry = offered(*(point(*one) for one in points))
    assert registry.names[-1] == "x"
    assert "x" in names_to_compare()
    with pytest.raises(PluginError, match=problem):
        named("x")
    assert named("flash") == la.Flash()


def test_a_faulty_package_does_not_keep_compare_from_running_the_others(offered, monkeypatch):
    import tiny

    offered(point("x", "no_such_module:X"))
    monkeypatch.setattr(
        "lookalike.search.compare.names_to_compare", lambda: ("flash", "x", "datafly")
    )
    posed = tiny.problem(next(tiny.tiny_problems(1, seed=6)), la.Loss())
    flash, faulty, datafly = la.compare(posed, "all").rows
    assert flash.solution is not None
    assert datafly.solution is not None
    assert faulty.solution is None
    assert "other 1.0 cannot be loaded" in faulty.refusal
    assert "update or uninstall other 1.0" in faulty.refusal
