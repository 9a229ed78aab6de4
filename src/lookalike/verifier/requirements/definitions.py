"""The requirements once more, for the verifier alone: each by its definition, class by class.

Works on plain tables of class by value, where the search works on sparse entries. For each rule:
the *measure* of every class, which of them break the rule, and which no finer recoding could mend.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lookalike.privacy.alpha_k import AlphaK
from lookalike.privacy.average_risk import AverageRisk
from lookalike.privacy.beta_likeness import BetaLikeness
from lookalike.privacy.defined_requirement import ClassCounts, DefinedRequirement
from lookalike.privacy.delta_disclosure import DeltaDisclosure
from lookalike.privacy.delta_presence import DeltaPresence
from lookalike.privacy.distinct_diversity import DistinctDiversity
from lookalike.privacy.entropy_diversity import EntropyDiversity
from lookalike.privacy.ground_distance import Equal, GroundDistance, Hierarchical, Ordered
from lookalike.privacy.k_map import KMap
from lookalike.privacy.population_uniqueness import PopulationUniqueness
from lookalike.privacy.recursive_diversity import RecursiveDiversity
from lookalike.privacy.requirement import Requirement
from lookalike.privacy.t_closeness import TCloseness
from lookalike.verifier.requirements.sensitive_counts import Flags, Held

Floats = NDArray[np.float64]
SLACK = 1e-9
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some classes at once."""

    rows: Floats  # (classes, values)
    sizes: Floats  # (classes,)
    whole: Floats  # (values,) rows of the release
    texts: Sequence[str | None]
    stays: int  # rows that any release has at least

    @property
    def q(self) -> Floats:
        """(classes, values) the share of each value in its class."""
        return np.asarray(self.rows / np.maximum(self.sizes, 1)[:, None])

    @property
    def p(self) -> Floats:
        """(values,) its share in the release."""
        return np.asarray(self.whole / max(1.0, float(self.whole.sum())))

    @property
    def held(self) -> Flags:
        return np.asarray(self.rows > 0)

    @property
    def covered(self) -> Floats:
        """(classes,) the most that a class's values can make up of any release."""
        return np.asarray((self.held * self.whole).sum(axis=1) / max(1, self.stays))


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Of each class."""

    measure: Floats
    broken: Flags
    lost: Flags  # broken, and every part of it too, whatever else is suppressed


def judge(rule: Requirement, held: Held, stays: int) -> Judgement:
    """One rule on all classes."""
    if isinstance(rule, DefinedRequirement):
        return _by_definition(rule, held)
    if isinstance(rule, KMap | DeltaPresence):
        return _by_people(rule, held)
    if not rule.columns:  # of size alone, or of the table as a whole
        sizes = held.sizes.astype(float)
        small = held.sizes < rule.smallest
        return Judgement(sizes, small, small)
    parts = [
        _JUDGES[type(rule)](
            rule,
            Block(
                table,
                held.sizes[at].astype(float),
                held.total[rule.columns[0]].astype(float),
                held.columns[rule.columns[0]].texts,
                stays,
            ),
        )
        for at, table in held.blocks(rule.columns[0])
    ]
    if not parts:
        none = np.zeros(0, dtype=bool)
        return Judgement(np.zeros(0), none, none)
    measures, broken, lost = zip(*parts, strict=True)
    return Judgement(np.concatenate(measures), np.concatenate(broken), np.concatenate(lost))


def known(rule: Requirement) -> bool:
    """Is it a rule that is judged here?"""
    whole = isinstance(
        rule, AverageRisk | DefinedRequirement | PopulationUniqueness | KMap | DeltaPresence
    )
    return whole or rule.by_size or type(rule) in _JUDGES


def _by_definition(rule: DefinedRequirement, held: Held) -> Judgement:
    """A rule of another package, by its own definition."""
    values: list[dict[str, dict[str | None, int]]] = [
        {name: {} for name in rule.columns} for _ in held.sizes
    ]
    release = {}
    for name in rule.columns:
        column = held.columns[name]
        release[name] = dict(zip(column.texts, held.total[name].tolist(), strict=True))
        for of, code, rows in zip(column.of, column.code, column.rows, strict=True):
            inside = values[of][name]
            text = column.texts[code]
            inside[text] = inside.get(text, 0) + int(rows)
    groups = [
        ClassCounts(size, own, release)
        for size, own in zip(held.sizes.tolist(), values, strict=True)
    ]
    broken = np.array([rule.breaks(group) for group in groups], dtype=bool)
    lost = np.array([rule.never_met(group) for group in groups], dtype=bool)
    return Judgement(held.sizes.astype(float), broken, lost)


def _by_people(rule: KMap | DeltaPresence, held: Held) -> Judgement:
    assert held.people is not None
    if isinstance(rule, KMap):
        few = held.people < rule.k
        return Judgement(held.people.astype(float), few, few)
    nobody = held.people == 0
    ratio = np.where(nobody, np.inf, held.sizes / np.maximum(held.people, 1))
    outside = (ratio > rule.most + SLACK) | (ratio < rule.least - SLACK)
    return Judgement(ratio, outside, nobody)


Judged = tuple[Floats, Flags, Flags]


def _distinct(rule: DistinctDiversity, block: Block) -> Judged:
    values = block.held.sum(axis=1)
    return values.astype(float), values < rule.l, values < rule.l


def _entropy(rule: EntropyDiversity, block: Block) -> Judged:
    q = block.q
    entropy = -(q * np.log(np.where(q > 0, q, 1.0))).sum(axis=1)
    few = block.held.sum(axis=1) < rule.l - SLACK
    return np.exp(entropy), entropy < math.log(rule.l) - SLACK, few


def _recursive(rule: RecursiveDiversity, block: Block) -> Judged:
    ranked = -np.sort(-block.rows, axis=1)
    tail = ranked[:, rule.l - 1 :].sum(axis=1)
    first = ranked[:, 0] if ranked.shape[1] else np.zeros(len(ranked))
    needed = np.where(tail > 0, first / np.where(tail > 0, tail, 1), np.inf)
    few = block.held.sum(axis=1) < rule.l
    return needed, ~(first < rule.c * tail - SLACK), few


def _alpha(rule: AlphaK, block: Block) -> Judged:
    if rule.value is not None:
        at = [i for i, text in enumerate(block.texts) if text == rule.value]
        most = block.rows[:, at].sum(axis=1)
        lost: Flags = np.asarray((most == block.sizes) & (rule.alpha < 1))
    else:
        most = block.rows.max(axis=1, initial=0)
        lost = np.asarray(block.held.sum(axis=1) * rule.alpha < 1 - SLACK)
    small = block.sizes < rule.k
    share = most / np.maximum(block.sizes, 1)
    frequent: Flags = most > rule.alpha * block.sizes + SLACK
    broken: Flags = small | frequent
    return share, broken, small | (block.sizes < rule.smallest) | lost


def _likeness(rule: BetaLikeness, block: Block) -> Judged:
    p, q = block.p, block.q
    known = np.where(p > 0, p, 1.0)
    gain = np.where(p > 0, (q - p) / known, np.where(q > 0, np.inf, 0.0))
    limit = np.full(len(p), rule.beta)
    if rule.kind == "enhanced":
        limit = np.minimum(limit, -np.log(known))
    broken = np.asarray(((gain > limit + SLACK) & (q > p)).any(axis=1))
    lost = np.asarray(block.covered * (1 + rule.beta) < 1 - SLACK)
    return gain.max(axis=1, initial=0), broken, lost


def _disclosure(rule: DeltaDisclosure, block: Block) -> Judged:
    p, q = block.p, block.q
    there = p > 0
    ratio = np.where(there, q / np.where(there, p, 1.0), np.where(q > 0, np.inf, 1.0))
    with np.errstate(divide="ignore"):
        apart = np.abs(np.log(ratio)).max(axis=1, initial=0)
    all_rows = float(block.whole.sum())
    must = block.whole > all_rows - block.stays
    lost = (~block.held & must).any(axis=1) | (block.covered * math.exp(rule.delta) < 1 - SLACK)
    return apart, apart >= rule.delta - SLACK, lost


def _closeness(rule: TCloseness, block: Block) -> Judged:
    moved = earth_moved(rule.distance, block)
    lost = np.zeros(len(moved), dtype=bool)
    if isinstance(rule.distance, Equal):
        lost = 1 - block.covered > rule.t + SLACK
    return moved, moved > rule.t + SLACK, lost


def earth_moved(distance: GroundDistance, block: Block) -> Floats:
    """(classes,) the Earth Mover's Distance to the release."""
    apart = block.q - block.p
    if isinstance(distance, Equal):
        return np.asarray(np.abs(apart).sum(axis=1) / 2)
    if isinstance(distance, Ordered):
        there = [i for i in _in_order(block.texts, distance.order) if block.whole[i] > 0]
        if len(there) < 2:
            return np.zeros(len(apart))
        return np.asarray(np.abs(np.cumsum(apart[:, there], axis=1)).sum(axis=1) / (len(there) - 1))
    assert isinstance(distance, Hierarchical)
    return _up_the_tree(distance, block.texts, apart)


def _in_order(texts: Sequence[str | None], order: Sequence[str] | None) -> list[int]:
    """The values by their place in the order given, by number or by day."""
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
        keys = [(found[0] if (found := DAY.match(str(text))) else "", str(text)) for text in texts]
    return sorted(range(len(texts)), key=keys.__getitem__)


def _up_the_tree(distance: Hierarchical, texts: Sequence[str | None], apart: Floats) -> Floats:
    """What each label's children cannot settle among themselves goes one level up."""
    tree = distance.tree.tabulate("", list(texts))
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
    """Is there one label, of all leaves that the tree has?"""
    return len(set(codes.tolist())) == 1 and int(under[codes[0]]) >= declared


def _summed(table: Floats, into: NDArray[np.integer]) -> Floats:
    """(classes, labels) the sum over the columns of each label."""
    found = np.zeros((len(table), int(into.max(initial=-1)) + 1))
    for column, label in enumerate(into.tolist()):
        found[:, label] += table[:, column]
    return found


_JUDGES: dict[type, Callable[..., Judged]] = {
    DistinctDiversity: _distinct,
    EntropyDiversity: _entropy,
    RecursiveDiversity: _recursive,
    AlphaK: _alpha,
    BetaLikeness: _likeness,
    DeltaDisclosure: _disclosure,
    TCloseness: _closeness,
}
