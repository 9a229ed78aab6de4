"""Algorithms by name, and ``auto``: which algorithm suits a problem, with the reason.

A name may carry options: ``samarati:every:preference=suppression``, ``mu-argus:generalize=a+b``.
"""

from __future__ import annotations

from lookalike.errors import Fault, NotSuited, PluginError, PolicyError
from lookalike.problem.problem import Problem
from lookalike.registry import ALGORITHMS
from lookalike.search.algorithm import Algorithm
from lookalike.search.suitability import why_unsuitable

FLASH_NODES = 100_000  # above, branch and bound is faster for costs that are sums over columns


def named(by: Algorithm | str | None) -> Algorithm | None:
    """An algorithm by its name; None and ``auto`` leave the choice open."""
    if by is None or by == "auto":
        return None
    if not isinstance(by, str):
        return _check_instance(by)
    name, *texts = by.split(":")
    if name not in ALGORITHMS:
        fix = f"use one of: auto, {', '.join(ALGORITHMS.names)}"
        raise NotSuited(Fault("by", f"there is no algorithm {name!r}", fix))
    kind: type[Algorithm] = ALGORITHMS.load(name)
    arguments: dict[str, object] = {}
    for text in filter(None, texts):
        arguments |= _option(kind, text)
    try:
        return kind(**arguments)
    except PolicyError as error:  # it lists what the algorithm accepts
        faults = [Fault("by", f"{name}: {fault.problem}", fault.fix) for fault in error.faults]
        raise NotSuited(faults) from None


def names_to_compare() -> tuple[str, ...]:
    """Every algorithm that ``compare`` runs for ``all``."""
    return tuple(name for name in ALGORITHMS.names if not _only_by_name(name))


def choose(problem: Problem) -> tuple[Algorithm, str]:
    """The algorithm that promises most for this problem, and the reason."""
    model = problem.policy.model
    if model is not None and model.by_cell:
        return _choose_by_cell(problem, model.name)
    return _choose_by_lattice(problem)


def _choose_by_lattice(problem: Problem) -> tuple[Algorithm, str]:
    """An exact search: flash for small lattices, branch and bound for large ones.

    Measured with ``benchmarks/wide.py --choose``: flash is faster up to 35,000 nodes, branch and
    bound from 173,000 nodes, if the cost is a sum over columns. For other metrics flash is faster.
    """
    flash = _default("flash")
    large = problem.costing.prior_is_base and problem.nodes > FLASH_NODES
    refused = why_unsuitable(flash, problem)
    if large or refused is not None:  # else branch and bound need not be loaded
        boxes = _default("branch-and-bound")
        if why_unsuitable(boxes, problem) is None:
            return boxes, (
                f"branch-and-bound, because it searches a lattice of {problem.nodes:,} nodes "
                "exactly without looking at every node"
            )
    if refused is None:
        return flash, (
            f"flash, because a lattice of {problem.nodes:,} nodes over {problem.groups:,} "
            "distinct tuples can be searched exactly, with a proof"
        )
    return _default("datafly"), f"datafly, because flash is not suited: {refused}"


def _choose_by_cell(problem: Problem, model: str) -> tuple[Algorithm, str]:
    """For the models that recode or suppress cell by cell."""
    because = f"because the policy asks for model {model}"
    star_cells = _default("star-cells")
    if model in star_cells.models:
        return star_cells, f"star-cells, {because}"
    exact = _default("cell-optimal")
    if exact.endless(problem) is None and why_unsuitable(exact, problem) is None:
        return exact, f"cell-optimal, {because}, and {problem.rows:,} rows can be solved exactly"
    greedy = _default("lattice-greedy")
    if (refusal := why_unsuitable(greedy, problem)) is None:
        return greedy, (
            f"lattice-greedy, {because}, and all {problem.nodes:,} nodes of the lattice can be "
            "visited"
        )
    near = _default("nearest-neighbors")
    if why_unsuitable(near, problem) is None:
        return near, (
            f"nearest-neighbors, {because}, and the lattice has {problem.nodes:,} nodes, too many "
            "for lattice-greedy to visit"
        )
    return _default("mondrian"), f"mondrian, {because}, and lattice-greedy is not suited: {refusal}"


def _default(name: str) -> Algorithm:
    """The algorithm with its default options."""
    kind: type[Algorithm] = ALGORITHMS.load(name)
    return kind()


def _only_by_name(name: str) -> bool:
    try:
        return bool(ALGORITHMS.load(name).only_by_name)
    except PluginError:
        return False  # the comparison says what is wrong with it


def _option(kind: type[Algorithm], text: str) -> dict[str, object]:
    """The arguments that one option stands for."""
    name, _, value = text.partition("=")
    options = {option.name: option for option in kind.options}
    if name not in options:
        fix = f"options of {kind.name}: {', '.join(options) or 'none'}"
        raise NotSuited(Fault("by", f"{kind.name} has no option {text!r}", fix))
    try:
        return dict(options[name].read(value))
    except ValueError:
        fix = f"{name} takes {options[name].takes}"
        raise NotSuited(Fault("by", f"{kind.name} does not take {text!r}", fix)) from None


def _check_instance(given: object) -> Algorithm:
    if isinstance(given, type):
        fix = f"write {given.__name__}()"
        raise NotSuited(Fault("by", f"{given.__name__} is a class, not an instance of it", fix))
    if not isinstance(given, Algorithm):
        fix = (
            'give an algorithm such as Flash(), or its name, for example "flash"; "auto" leaves '
            "the choice to lookalike"
        )
        raise NotSuited(Fault("by", f"{type(given).__name__} is not an algorithm", fix))
    return given
