"""The definition of each requirement, implemented again for the verifier.

Works on full tables of class by value, where the search works on sparse entries. For each
requirement: the *measure* of every class, which classes break it, and which are hopeless.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.privacy.defined_requirement import ClassCounts, DefinedRequirement
from lookalike.privacy.requirement import Requirement
from lookalike.verifier.requirements.sensitive_counts import CountedClasses, Flags, Whole
from lookalike.verifier.supplied_definitions import builtin_name

if TYPE_CHECKING:  # only the requirements of the policy are loaded
    import lookalike as la
    from lookalike.privacy.ground_distance import GroundDistance

Floats = NDArray[np.float64]
ROUNDING = 1e-9  # measures closer than this to their limit count as equal to it
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some classes, with the spread of one sensitive column."""

    rows: Floats  # (classes, values)
    sizes: Floats  # (classes,)
    total: Floats  # (values,) rows of the release
    texts: Sequence[str | None]  # (values,)
    fewest: int  # rows that any release has at least

    @property
    def q(self) -> Floats:
        """(classes, values) the share of each value in the class."""
        return np.asarray(self.rows / np.maximum(self.sizes, 1)[:, None])

    @property
    def p(self) -> Floats:
        """(values,) the share of each value in the release."""
        return np.asarray(self.total / max(1.0, float(self.total.sum())))

    @property
    def present(self) -> Flags:
        """(classes, values)"""
        return np.asarray(self.rows > 0)

    @property
    def covered(self) -> Floats:
        """(classes,) the largest share of any release that the values of a class can have."""
        return np.asarray((self.present * self.total).sum(axis=1) / max(1, self.fewest))


class Judgement(NamedTuple):
    """One requirement, judged for each class."""

    measure: Floats
    broken: Flags
    hopeless: Flags  # broken, and every part of the class too, whatever else is suppressed


def judge(rule: Requirement, classes: CountedClasses, fewest: int) -> Judgement:
    """One requirement on all classes; any release has ``fewest`` rows at least."""
    if isinstance(rule, DefinedRequirement):
        return _by_definition(rule, classes)
    if (judge_population := _BY_POPULATION.get(builtin_name(rule))) is not None:
        assert classes.population is not None
        return judge_population(rule, classes.sizes, classes.population)
    if not rule.columns:  # on the size of classes, or on the table as a whole
        small = classes.sizes < rule.smallest
        return Judgement(classes.sizes.astype(float), small, small)
    column = rule.columns[0]
    total, texts = classes.totals[column].astype(float), classes.spreads[column].texts
    judge_values = _BY_VALUES[builtin_name(rule)]
    parts = [
        judge_values(rule, Block(rows, classes.sizes[at].astype(float), total, texts, fewest))
        for at, rows in classes.blocks(column)
    ]
    if not parts:
        none = np.zeros(0, dtype=bool)
        return Judgement(np.zeros(0), none, none)
    return Judgement(*map(np.concatenate, zip(*parts, strict=True)))


def can_judge(rule: Requirement) -> bool:
    """Is its definition implemented here?"""
    known = {*_BY_POPULATION, *_BY_VALUES, *_BY_TABLE}
    return isinstance(rule, DefinedRequirement) or rule.by_size or builtin_name(rule) in known


def table_measure(rule: Requirement, sizes: Whole) -> tuple[float, float] | None:
    """The measure of a table with classes of these sizes, and its limit; None if there is none."""
    measure = _BY_TABLE.get(builtin_name(rule))
    return None if measure is None else measure(rule, sizes)


def table_wide_met(rule: Requirement, classes: CountedClasses, kept: Flags) -> bool:
    """Does a release of the kept classes meet the table-wide part of the requirement?"""
    if isinstance(rule, DefinedRequirement):
        return rule.met_by(classes.sizes[kept].tolist())
    if (measured := table_measure(rule, classes.sizes[kept])) is not None:
        measure, limit = measured
        return measure <= limit + ROUNDING
    return builtin_name(rule) != "δ-presence" or _everybody_present(rule, classes, kept)


def _average_risk(rule: la.AverageRisk, sizes: Whole) -> tuple[float, float]:
    rows = int(sizes.sum())
    return len(sizes) / rows if rows else 0.0, rule.risk


def _uniqueness(rule: la.PopulationUniqueness, sizes: Whole) -> tuple[float, float]:
    from lookalike.verifier.requirements.population_uniqueness import population_uniques

    uniques = population_uniques(rule.estimator, sizes, rule.population)
    return uniques / rule.population, rule.share


def _everybody_present(rule: Any, classes: CountedClasses, kept: Flags) -> bool:
    """δ-presence with a lower limit: does every person look like a released class?"""
    if rule.least <= ROUNDING:
        return True
    assert classes.population is not None
    return classes.outside + int(classes.population[~kept].sum()) == 0


def _k_map(rule: la.KMap, sizes: Whole, people: Whole) -> Judgement:
    few = people < rule.k
    return Judgement(people.astype(float), few, few)


def _presence(rule: la.DeltaPresence, sizes: Whole, people: Whole) -> Judgement:
    nobody = people == 0
    ratio = np.where(nobody, np.inf, sizes / np.maximum(people, 1))
    outside = (ratio > rule.most + ROUNDING) | (ratio < rule.least - ROUNDING)
    return Judgement(ratio, outside, nobody)


def _by_definition(rule: DefinedRequirement, classes: CountedClasses) -> Judgement:
    """A requirement of another package, by its own definition."""
    values: list[dict[str, dict[str | None, int]]] = [
        {name: {} for name in rule.columns} for _ in classes.sizes
    ]
    release = {}
    for name in rule.columns:
        spread = classes.spreads[name]
        release[name] = dict(zip(spread.texts, classes.totals[name].tolist(), strict=True))
        for of, code, count in zip(spread.of, spread.code, spread.count, strict=True):
            own, text = values[of][name], spread.texts[code]
            own[text] = own.get(text, 0) + int(count)
    counts = [
        ClassCounts(size, own, release)
        for size, own in zip(classes.sizes.tolist(), values, strict=True)
    ]
    broken = np.array([rule.breaks(group) for group in counts], dtype=bool)
    hopeless = np.array([rule.never_met(group) for group in counts], dtype=bool)
    return Judgement(classes.sizes.astype(float), broken, hopeless)


def _distinct(rule: la.DistinctDiversity, block: Block) -> Judgement:
    values = block.present.sum(axis=1)
    return Judgement(values.astype(float), values < rule.l, values < rule.l)


def _entropy(rule: la.EntropyDiversity, block: Block) -> Judgement:
    q = block.q
    entropy = -(q * np.log(np.where(q > 0, q, 1.0))).sum(axis=1)
    few = block.present.sum(axis=1) < rule.l - ROUNDING
    return Judgement(np.exp(entropy), entropy < math.log(rule.l) - ROUNDING, few)


def _recursive(rule: la.RecursiveDiversity, block: Block) -> Judgement:
    ranked = -np.sort(-block.rows, axis=1)
    tail = ranked[:, rule.l - 1 :].sum(axis=1)
    first = ranked[:, 0] if ranked.shape[1] else np.zeros(len(ranked))
    needed = np.where(tail > 0, first / np.where(tail > 0, tail, 1), np.inf)
    few = block.present.sum(axis=1) < rule.l
    return Judgement(needed, ~(first < rule.c * tail - ROUNDING), few)


def _alpha(rule: la.AlphaK, block: Block) -> Judgement:
    if rule.value is not None:
        at = [i for i, text in enumerate(block.texts) if text == rule.value]
        frequent_rows = block.rows[:, at].sum(axis=1)
        hopeless: Flags = np.asarray((frequent_rows == block.sizes) & (rule.alpha < 1))
    else:
        frequent_rows = block.rows.max(axis=1, initial=0)
        hopeless = np.asarray(block.present.sum(axis=1) * rule.alpha < 1 - ROUNDING)
    small = block.sizes < rule.k
    share = frequent_rows / np.maximum(block.sizes, 1)
    broken: Flags = small | (frequent_rows > rule.alpha * block.sizes + ROUNDING)
    return Judgement(share, broken, small | (block.sizes < rule.smallest) | hopeless)


def _likeness(rule: la.BetaLikeness, block: Block) -> Judgement:
    p, q = block.p, block.q
    positive = np.where(p > 0, p, 1.0)
    gain = np.where(p > 0, (q - p) / positive, np.where(q > 0, np.inf, 0.0))
    limit = np.full(len(p), rule.beta)
    if rule.kind == "enhanced":
        limit = np.minimum(limit, -np.log(positive))
    broken = np.asarray(((gain > limit + ROUNDING) & (q > p)).any(axis=1))
    hopeless = np.asarray(block.covered * (1 + rule.beta) < 1 - ROUNDING)
    return Judgement(gain.max(axis=1, initial=0), broken, hopeless)


def _disclosure(rule: la.DeltaDisclosure, block: Block) -> Judgement:
    p, q = block.p, block.q
    ratio = np.where(p > 0, q / np.where(p > 0, p, 1.0), np.where(q > 0, np.inf, 1.0))
    with np.errstate(divide="ignore"):
        apart = np.abs(np.log(ratio)).max(axis=1, initial=0)
    all_rows = float(block.total.sum())
    always = block.total > all_rows - block.fewest  # values that every release holds
    hopeless = (~block.present & always).any(axis=1)
    hopeless |= block.covered * math.exp(rule.delta) < 1 - ROUNDING
    return Judgement(apart, apart >= rule.delta - ROUNDING, hopeless)


def _closeness(rule: la.TCloseness, block: Block) -> Judgement:
    moved = earth_movers_distance(rule.distance, block)
    hopeless = np.zeros(len(moved), dtype=bool)
    if builtin_name(rule.distance) == "equal":
        hopeless = 1 - block.covered > rule.t + ROUNDING
    return Judgement(moved, moved > rule.t + ROUNDING, hopeless)


def earth_movers_distance(distance: GroundDistance, block: Block) -> Floats:
    """(classes,) how far each class is from the release."""
    return _DISTANCES[builtin_name(distance)](distance, block, block.q - block.p)


def _equal(distance: la.Equal, block: Block, apart: Floats) -> Floats:
    return np.asarray(np.abs(apart).sum(axis=1) / 2)


def _ordered(distance: la.Ordered, block: Block, apart: Floats) -> Floats:
    order = [i for i in _in_order(block.texts, distance.order) if block.total[i] > 0]
    if len(order) < 2:
        return np.zeros(len(apart))
    return np.asarray(np.abs(np.cumsum(apart[:, order], axis=1)).sum(axis=1) / (len(order) - 1))


def _in_order(texts: Sequence[str | None], order: Sequence[str] | None) -> list[int]:
    """The values in the order given, or else by number or by day."""
    if order is not None:
        listed = list(order)
        return sorted(
            range(len(texts)),
            key=lambda i: (listed.index(str(texts[i])) if texts[i] in listed else len(listed), i),
        )
    keys: list[tuple[Fraction, str]] | list[tuple[str, str]]
    try:
        keys = [(Fraction(str(text).strip()), str(text)) for text in texts]
    except ValueError:
        keys = [(day[0] if (day := DAY.match(str(text))) else "", str(text)) for text in texts]
    return sorted(range(len(texts)), key=keys.__getitem__)


def _hierarchical(distance: la.Hierarchical, block: Block, apart: Floats) -> Floats:
    """What the children of a label cannot balance among themselves is moved one level up."""
    tree = distance.tree.tabulate("", list(block.texts))
    top = tree.height
    while top > 1 and _all_in_one(
        tree.codes[:, top - 1], tree.leaves_under[top - 1], tree.declared
    ):
        top -= 1
    moved = np.zeros(len(apart))
    for level in range(1, top + 1):
        below, above = tree.codes[:, level - 1], tree.codes[:, level]
        children = _summed(apart, below)
        parent = np.zeros(children.shape[1], dtype=np.int64)
        parent[below] = above
        too_much = _summed(np.maximum(children, 0), parent)
        too_little = _summed(np.maximum(-children, 0), parent)
        moved += np.minimum(too_much, too_little).sum(axis=1) * level / top
    return moved


def _all_in_one(codes: NDArray[np.int32], under: NDArray[np.int64], declared: int) -> bool:
    """Is there one label only, and does it stand for all leaves of the tree?"""
    return len(set(codes.tolist())) == 1 and int(under[codes[0]]) >= declared


def _summed(table: Floats, into: NDArray[np.integer]) -> Floats:
    """(classes, labels) the sum over the columns of each label."""
    sums = np.zeros((len(table), int(into.max(initial=-1)) + 1))
    for column, label in enumerate(into.tolist()):
        sums[:, label] += table[:, column]
    return sums


# Definitions by the name of the requirement, or of the ground distance.
_BY_TABLE: dict[str, Callable[..., tuple[float, float]]] = {
    "average risk": _average_risk,
    "population uniqueness": _uniqueness,
}
_BY_POPULATION: dict[str, Callable[..., Judgement]] = {"k-map": _k_map, "δ-presence": _presence}
_BY_VALUES: dict[str, Callable[..., Judgement]] = {
    "distinct l-diversity": _distinct,
    "entropy l-diversity": _entropy,
    "recursive (c,l)-diversity": _recursive,
    "(α,k)-anonymity": _alpha,
    "β-likeness": _likeness,
    "δ-disclosure privacy": _disclosure,
    "t-closeness": _closeness,
}
_DISTANCES: dict[str, Callable[..., Floats]] = {
    "equal": _equal,
    "ordered": _ordered,
    "hierarchical": _hierarchical,
}
