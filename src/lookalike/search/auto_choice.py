"""Algorithms by name, and ``auto``: which suits a problem, and why, in a sentence.

A name may carry options: ``samarati:every:preference=suppression``, ``mu-argus:generalize=a+b``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lookalike.errors import Fault, NotSuited, PolicyError
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.cells.cell_suppression.meyerson_williams import MeyersonWilliams
from lookalike.search.cells.cell_suppression.mu_argus import MuArgus
from lookalike.search.cells.cell_suppression.star_cells import StarCells
from lookalike.search.cells.clustering.k_member import KMember
from lookalike.search.cells.clustering.mdav import Mdav
from lookalike.search.cells.exact.cell_optimal import CellOptimal
from lookalike.search.cells.lattice_greedy import LatticeGreedy
from lookalike.search.cells.mondrian import Mondrian
from lookalike.search.cells.top_down import TopDown
from lookalike.search.cells.ungeneralize import Ungeneralize
from lookalike.search.cuts.annealing import Annealing
from lookalike.search.cuts.genetic import Genetic
from lookalike.search.cuts.greedy_cuts import Greedy
from lookalike.search.cuts.hill_climbing import HillClimbing
from lookalike.search.cuts.k_optimize import KOptimize
from lookalike.search.lattice.datafly import Datafly
from lookalike.search.lattice.flash import Flash
from lookalike.search.lattice.hybrid import Hybrid
from lookalike.search.lattice.incognito import Incognito
from lookalike.search.lattice.mingen import MinGen
from lookalike.search.lattice.samarati import Samarati
from lookalike.search.option_checks import check_algorithm
from lookalike.search.papers.as_published_k_optimize import KOptimizePrinted
from lookalike.search.suitability import why_unsuitable
from lookalike.solution.solution_file import load

BY_NAME: Mapping[str, Callable[..., Algorithm]] = {
    "flash": Flash,
    "mingen": MinGen,
    "datafly": Datafly,
    "samarati": Samarati,
    "incognito": Incognito,
    "hybrid": Hybrid,
    "mu-argus": MuArgus,
    "cell-optimal": CellOptimal,
    "lattice-greedy": LatticeGreedy,
    "mondrian": Mondrian,
    "k-member": KMember,
    "mdav": Mdav,
    "top-down": TopDown,
    "ungeneralize": Ungeneralize,
    "star-cells": StarCells,
    "meyerson-williams": MeyersonWilliams,
    "k-optimize": KOptimize,
    "k-optimize-printed": KOptimizePrinted,
    "hill-climbing": HillClimbing,
    "genetic": Genetic,
    "annealing": Annealing,
    "greedy": Greedy,
}

EVERY = tuple(name for name in BY_NAME if name != "k-optimize-printed")  # that ends in good time

Words = Mapping[str, Callable[[str], dict[str, object]]]


def _flag(field: str, value: object = True) -> Callable[[str], dict[str, object]]:
    return lambda text: {field: value} if not text else {}


def _word(field: str) -> Callable[[str], dict[str, object]]:
    return lambda text: {field: text} if text else {}


def _number(field: str) -> Callable[[str], dict[str, object]]:
    return lambda text: {field: int(text)} if text.isdecimal() else {}


def _cost(field: str) -> Callable[[str], dict[str, object]]:
    def parsed(text: str) -> dict[str, object]:
        try:
            return {field: float(text)}
        except ValueError:
            return {}

    return parsed


OPTIONS: Mapping[str, Words] = {  # what may follow a name; {} means that it makes no sense
    "mingen": {"preferred": _word("preferred")},
    "datafly": {"complementary": _flag("complementary")},
    "samarati": {"every": _flag("every"), "preference": _word("preference")},
    "hybrid": {"preference": _word("preference")},
    "incognito": {"basic": _flag("super_roots", False)},
    "mu-argus": {
        "tests": _word("tests"),
        "generalize": lambda text: {"decide": tuple(text.split("+"))} if text else {},
    },
    "mondrian": {"cut": _word("cut"), "relaxed": _flag("relaxed")},
    "hill-climbing": {"starts": _number("starts")},
    "genetic": {"children": _number("children"), "population": _number("population")},
    "annealing": {"steps": _number("steps")},
    "k-optimize": {
        "long": _word("long"),
        "threads": _number("threads"),
        "start": lambda text: {"start": load(text).recoding} if text else {},
        "resume": lambda text: {"resume": load(text)} if text else {},
        "below": _cost("below"),
    },
}

TAKES: Mapping[str, str] = {  # what follows an option, where not just any word will do
    **dict.fromkeys(("every", "complementary", "basic", "relaxed"), "no value"),
    **dict.fromkeys(
        ("starts", "children", "population", "steps", "threads"), "a whole number, as 100"
    ),
    **dict.fromkeys(("start", "resume"), "the file of a solution"),
    "below": "a cost, as 5000",
}


def named(by: Algorithm | str | None) -> Algorithm | None:
    """An algorithm by its name; None and ``auto`` leave the choice open."""
    if by is None or by == "auto":
        return None
    if not isinstance(by, str):
        check_algorithm(by)
        return by
    name, _, rest = by.partition(":")
    if name not in BY_NAME:
        fix = f"use one of: auto, {', '.join(BY_NAME)}"
        raise NotSuited(Fault("by", f"there is no algorithm {name!r}", fix))
    known = OPTIONS.get(name, {})
    given: dict[str, object] = {}
    for option in filter(None, rest.split(":")):
        key, _, text = option.partition("=")
        if key not in known:
            fix = f"options of {name}: {', '.join(known) or 'none'}"
            raise NotSuited(Fault("by", f"{name} has no option {option!r}", fix))
        parsed = known[key](text)
        if not parsed:
            fix = f"{key} takes {TAKES.get(key, f'a value, as {key}=…')}"
            raise NotSuited(Fault("by", f"{name} does not take {option!r}", fix))
        given |= parsed
    try:
        return BY_NAME[name](**given)
    except PolicyError as error:  # a word that the algorithm does not know; it lists those it does
        told = [Fault("by", f"{name}: {fault.problem}", fault.fix) for fault in error.faults]
        raise NotSuited(told) from None


def choose(problem: Problem) -> tuple[Algorithm, str]:
    """The algorithm that promises most here, and the reason."""
    model = problem.policy.model
    if model is not None and model.by_cell:
        return _choose_by_cell(problem, model.name)
    exact = Flash()
    why_not = why_unsuitable(exact, problem)
    if why_not is None:
        return exact, (
            f"flash, because a lattice of {problem.nodes:,} nodes over {problem.groups:,} "
            "distinct tuples can be searched exactly, with a proof"
        )
    return Datafly(), f"datafly, because flash is not suited: {why_not}"


def _choose_by_cell(problem: Problem, model: str) -> tuple[Algorithm, str]:
    """For the models that recode or suppress cell by cell."""
    asks = f"because the policy asks for model {model}"
    if model in StarCells().models:
        return StarCells(), f"star-cells, {asks}"
    exact = CellOptimal()
    if exact.endless(problem) is None and why_unsuitable(exact, problem) is None:
        return (
            CellOptimal(),
            f"cell-optimal, {asks}, and {problem.rows:,} rows can be solved exactly",
        )
    if (why_not := why_unsuitable(LatticeGreedy(), problem)) is None:
        return LatticeGreedy(), (
            f"lattice-greedy, {asks}, and a lattice of {problem.nodes:,} nodes can be visited whole"
        )
    return Mondrian(), f"mondrian, {asks}, and lattice-greedy is not suited: {why_not}"
