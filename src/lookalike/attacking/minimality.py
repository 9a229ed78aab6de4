"""Minimality: an algorithm that generalizes only where it must reveals why it had to.

Wong, Fu, Wang and Pei 2007. Two people are q1 and five are q2, and two of the seven have HIV. If at
most half of a class may have HIV, the table can be released as it is, unless both people of q1 have
HIV. So a release that does not tell q1 from q2 says that both have it.

The attacker needs a public list of the people, and knows the policy and the algorithm. Every
assignment of the values of a class to its people is equally probable at first. Those for which the
algorithm would have stopped earlier, at a finer recoding (``divisions.py``), are ruled out; the
others are counted. That is the credibility of the paper, by counting instead of by its formula for
one class of two values.

Tables with few assignments are counted as a whole, with every recoding that the algorithm prefers:
then all that can be deduced is deduced. In larger tables each class is counted by itself, with the
recodings that are one step finer; the classes are then combined, because it is enough that one of
them breaks a requirement. What is deduced then is true, but more may be deducible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.attack_findings import AttackFindings, ColumnFinding
from lookalike.attacking.class_members import ClassMembers, class_members, in_order_of
from lookalike.attacking.divisions import (
    FULL_DOMAIN,
    Division,
    KnownLevels,
    finer_nodes,
    known_levels,
    preferred_nodes,
    separated_labels,
    shown_node,
    specialized_labels,
)
from lookalike.attacking.linked_divisions import Outcomes, combine, linked
from lookalike.attacking.people_posterior import PeoplePosterior
from lookalike.attacking.release_view import ReleaseView
from lookalike.attacking.value_assignments import (
    SAMPLED_WORLDS,
    Worlds,
    draw_worlds,
    list_worlds,
    together,
)
from lookalike.counts.classes import Classes
from lookalike.counts.sensitive_spread import Spread
from lookalike.policy.policy import Policy
from lookalike.problem.group_ids import group_ids
from lookalike.problem.sensitive_texts import text_histogram

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
MAX_WORLDS = 20_000  # that are listed for a class, or for all classes together
UNLIKELY = 1e-9  # a division that passes with a smaller chance tells nothing by failing
ASSUMED = (
    "The attacker has a public list with the quasi-identifiers of everybody in the table.",
    "The attacker knows the policy, its hierarchies and the algorithm.",
    "The algorithm generalizes only where it must, and was not stopped early.",
)


@dataclass(frozen=True, slots=True)
class MinimalityFindings(AttackFindings):
    """What the choice of the algorithm tells about each sensitive column."""

    finer: int = 0  # finer recodings that tell something by not having been chosen
    complete: bool = False  # is everything deduced that can be deduced?
    beliefs: tuple[PeoplePosterior, ...] = field(default=(), repr=False, compare=False)


def attack_by_minimality(
    view: ReleaseView,
    *,
    sensitive: Sequence[str] | None = None,
    default_options: bool = False,
    max_worlds: int = MAX_WORLDS,
    seed: int = 0,
) -> MinimalityFindings:
    """Rule out assignments for which the algorithm would have stopped at a finer recoding.

    Parameters
    ----------
    view : ReleaseView
        The release as an attacker sees it, with a list of all people.
    sensitive : sequence of str, optional
        The columns to attack; by default all whose values the view has.
    default_options : bool
        Was the algorithm run without options? Certificates do not say it. If so, the order in which
        it prefers recodings is known, and more can be deduced.
    max_worlds : int
        Classes with more assignments than this are sampled, and never called certain.
    seed : int
        Of the samples.

    Returns
    -------
    MinimalityFindings
        The best guess about a person is compared with the rates of the person's class.
    """
    names = tuple(view.sensitive if sensitive is None else sensitive)
    if not any(rule.columns for rule in view.policy.require):
        return _nothing(view, names, complete=True)  # the list alone says which recodings meet it
    if (reason := _why_not(view)) is not None:
        return _nothing(view, names, reason)
    assert view.known_people is not None
    people = in_order_of(view, view.known_people)
    members = class_members(view, people)
    if not members.complete.all():
        return _nothing(view, names, "the people of some classes are not known from the list")
    known = known_levels(view, people)
    if any(
        a.height != column.table.height
        for a, column in zip(known.tables, view.columns, strict=True)
    ):
        return _nothing(view, names, "the list has values that give another hierarchy")
    attack = _Attack(view, members, known, default_options, max_worlds, seed)
    return attack.findings(names)


def _why_not(view: ReleaseView) -> str | None:
    """Why the attack cannot be run; None if it can."""
    require, by = view.policy.require, view.algorithm
    searched = by in ("", *FULL_DOMAIN)
    reasons = {
        "it needs a list with the quasi-identifiers of everybody": view.known_people is None,
        "the policy has several sets of columns for linking": len(view.policy.sets) > 1,
        "a requirement is about the population, or about the table as a whole": any(
            rule.needs_population or rule.table_wide for rule in require
        ),
        "rows were suppressed, and a requirement is met more easily by suppressing them": bool(
            view.suppressed
        )
        and not all(rule.grows for rule in require),
        "in a column with an order, a class of Mondrian can be several parts": by == "mondrian"
        and any(column.table.ordered for column in view.columns),
        f"{by} may generalize more than it must": not searched
        and by not in ("top-down", "mondrian"),
        "the release is not a full-domain recoding": searched and shown_node(view) is None,
    }
    return next((reason for reason, applies in reasons.items() if applies), None)


def _nothing(
    view: ReleaseView, names: Sequence[str], reason: str = "", *, complete: bool = False
) -> MinimalityFindings:
    columns = [] if reason else [_total(view, name) for name in names]
    unexamined = (f"The minimality attack was not run: {reason}.",) if reason else ()
    return MinimalityFindings("minimality", ASSUMED, tuple(columns), unexamined, complete=complete)


def _total(view: ReleaseView, name: str, belief: PeoplePosterior | None = None) -> ColumnFinding:
    findings = () if belief is None else belief.findings(view)
    return ColumnFinding.total(name, int(view.rows.sum()), view.classes, findings)


class _Judge:
    """Which parts break the requirements on one sensitive column."""

    def __init__(self, view: ReleaseView, column: str) -> None:
        self.rules = [rule for rule in view.policy.require if column in rule.columns]
        histogram = text_histogram(view.sensitive[column])
        self.values = histogram.values
        self.rows = histogram.dense(view.classes)  # (classes, values)
        self.total = self.rows.sum(axis=0)

    def fails(self, worlds: Worlds, codes: Whole, part: Whole) -> Flags:
        """(worlds,) does a part break a requirement? ``part`` is that of each cell."""
        count, numbers = len(worlds.weight), np.unique(part)
        parts = len(numbers)
        member = (part[:, None] == numbers).astype(np.int64)  # (cells, parts)
        rows = np.einsum("wcv,cp->wpv", worlds.rows, member).reshape(count * parts, len(codes))
        of, at = np.nonzero(rows)
        spread = Spread(self.values, of, codes[at], rows[of, at], self.total, int(self.total.sum()))
        sizes = rows.sum(axis=1)
        classes = Classes(sizes, np.zeros_like(sizes), spreads=dict.fromkeys(self._columns, spread))
        broken = np.zeros(len(sizes), dtype=np.bool_)
        for rule in self.rules:
            broken |= rule.broken(classes)
        return np.asarray(broken.reshape(count, parts).any(axis=1))

    @property
    def _columns(self) -> set[str]:
        return {name for rule in self.rules for name in rule.columns}


class _Split(NamedTuple):
    """How one division divides one class."""

    division: int
    part: Whole  # (kinds of the class,)


class _Attack:
    """The beliefs about everybody, in every column with a requirement."""

    def __init__(
        self,
        view: ReleaseView,
        members: ClassMembers,
        known: KnownLevels,
        default_options: bool,
        limit: int,
        seed: int,
    ) -> None:
        self.view, self.members, self.known = view, members, known
        self.default_options, self.limit, self.seed = default_options, limit, seed
        self.judges = {name: _Judge(view, name) for name in view.policy.required_columns}
        self.chance = {name: self._published(judge) for name, judge in self.judges.items()}
        self.finer, self.complete = 0, False
        self.unexamined: list[str] = []

    def findings(self, names: Sequence[str]) -> MinimalityFindings:
        """Run the attack."""
        if not self._as_a_whole():
            self._class_by_class()
        kinds = self.members.kinds()
        beliefs = {
            name: PeoplePosterior(
                name,
                judge.values,
                kinds,
                self.members.of[kinds],
                self.members.people[kinds],
                self.chance[name][kinds],
                self._published(judge)[kinds],
            )
            for name, judge in self.judges.items()
            if name in names
        }
        columns = tuple(_total(self.view, name, beliefs.get(name)) for name in names)
        return MinimalityFindings(
            "minimality",
            ASSUMED,
            columns,
            tuple(self.unexamined),
            self.finer,
            self.complete,
            tuple(beliefs.values()),
        )

    def _published(self, judge: _Judge) -> Floats:
        """(kinds, values) the rates of the class of each kind of people."""
        rates = judge.rows / self.view.rows[:, None]
        return np.asarray(rates[np.maximum(self.members.of, 0)])

    def _as_a_whole(self) -> bool:
        """Count the assignments of all classes together, if they are few; was that possible?"""
        view, policy = self.view, self.view.policy
        if view.algorithm not in FULL_DOMAIN or policy.suppress or len(self.judges) != 1:
            return False
        preferred = preferred_nodes(view, self.known, self.members, self.default_options)
        if preferred is None:
            return False
        divisions = _unexplained(policy, preferred.divisions, self.members)
        [(name, judge)] = self.judges.items()
        everybody = self.members.by_class()
        cells, codes = self._cells(divisions), np.arange(len(judge.values))
        listed = [
            list_worlds(self._sizes(kinds, cells), judge.rows[at].tolist(), self.limit)
            for at, kinds in everybody
        ]
        classes = [worlds for worlds in listed if worlds is not None]
        worlds = together(classes, self.limit) if len(classes) == len(listed) else None
        if worlds is None:
            return False
        self.complete = preferred.complete
        possible = np.ones(len(worlds.weight), dtype=np.bool_)
        first = np.concatenate([kinds[_firsts(cells[kinds])] for _, kinds in everybody])
        for division in divisions:
            part = division.part[np.searchsorted(division.kinds, first)]
            fails = judge.fails(worlds, codes, part)
            self.finer += not fails.all()
            possible &= fails
        if not possible.any():
            self._contradict()
            return True
        weight = np.where(possible, worlds.weight, 0)
        expected = np.tensordot(weight, worlds.rows, axes=1)  # (cells, values)
        self._believe(name, everybody, cells, expected / expected.sum(axis=1, keepdims=True))
        return True

    def _cells(self, divisions: Iterable[Division]) -> Whole:
        """(kinds,) people of one class who are in the same part of every division."""
        columns = [self.members.of + 2]
        for division in divisions:
            part = np.zeros(len(self.members.of), dtype=np.int64)
            part[division.kinds] = division.part
            columns.append(part)
        return group_ids(np.stack(columns, axis=1))

    def _sizes(self, kinds: Whole, cells: Whole) -> list[int]:
        """People of each cell of a class, in the order of the numbers of the cells."""
        _, cell = np.unique(cells[kinds], return_inverse=True)
        sizes: list[int] = np.bincount(cell, self.members.people[kinds]).astype(int).tolist()
        return sizes

    def _believe(
        self, name: str, classes: Sequence[tuple[int, Whole]], cells: Whole, chance: Floats
    ) -> None:
        """Set the beliefs about classes; ``chance`` has their cells one class after the other."""
        start = 0
        for _, kinds in classes:
            numbers, cell = np.unique(cells[kinds], return_inverse=True)
            self.chance[name][kinds] = chance[start + cell.reshape(-1)]
            start += len(numbers)

    def _contradict(self) -> None:
        self.unexamined.append(
            "No assignment of the values fits the algorithm: another one was used, or the list "
            "does not have the people of the table."
        )

    def _class_by_class(self) -> None:
        """Count or sample the assignments of each class, and combine the classes."""
        divisions = _unexplained(self.view.policy, self._finer(), self.members)
        outcomes = self._outcomes(divisions)
        for group in linked(outcomes):
            beliefs = combine(group)
            if beliefs is None:
                self._contradict()
                continue
            self.finer += len({number for one in group for number in one.divisions})
            exact = all(one.exact for one in group)
            for one, chance in zip(group, beliefs, strict=True):
                believed = chance if exact else np.minimum(chance, 1 - 1 / SAMPLED_WORLDS)
                spread = np.zeros((len(believed), len(self.judges[one.column].values)))
                spread[:, one.codes] = believed
                self.chance[one.column][one.kinds] = spread[one.cell]

    def _finer(self) -> list[Division]:
        """The recodings one step finer; none of them crosses classes."""
        if self.view.algorithm == "top-down":
            return specialized_labels(self.view, self.known, self.members)
        if self.view.algorithm == "mondrian":
            return separated_labels(self.view, self.known, self.members)
        return finer_nodes(self.view, self.known, self.members)

    def _outcomes(self, divisions: Sequence[Division]) -> list[Outcomes]:
        """Which divisions each class may break, small classes first.

        A division that almost certainly fails anyway is left out.
        """
        passing = np.ones(len(divisions))
        outcomes = []
        splits = _splits(divisions, self.members)
        for at, kinds in sorted(self.members.by_class(), key=lambda one: self.view.rows[one[0]]):
            for name, judge in self.judges.items():
                here = [one for one in splits[at] if passing[one.division] > UNLIKELY]
                if here:
                    one = self._outcomes_of(name, judge, at, kinds, here)
                    outcomes.append(one)
                    passing[one.divisions] *= one.passing()
        return [one.only(passing > UNLIKELY) for one in outcomes]

    def _outcomes_of(
        self, name: str, judge: _Judge, at: int, kinds: Whole, splits: Sequence[_Split]
    ) -> Outcomes:
        cell = group_ids(np.stack([split.part for split in splits], axis=1))
        sizes = np.bincount(cell, self.members.people[kinds]).astype(int).tolist()
        codes = np.flatnonzero(judge.rows[at])
        rows = judge.rows[at, codes].tolist()
        worlds = list_worlds(sizes, rows, self.limit) or draw_worlds(sizes, rows, self.seed + at)
        first = _firsts(cell)
        fails = np.stack(
            [judge.fails(worlds, codes, split.part[first]) for split in splits], axis=1
        )
        numbers = np.array([split.division for split in splits], dtype=np.int64)
        return Outcomes.of(name, kinds, cell, codes, numbers, fails, worlds)


def _firsts(cells: Whole) -> Whole:
    """The first place of each number, in the order of the numbers."""
    return np.asarray(np.unique(cells, return_index=True)[1])


def _unexplained(
    policy: Policy, divisions: Iterable[Division], members: ClassMembers
) -> list[Division]:
    """Without the divisions that break a requirement by the sizes of their parts alone."""
    rules = [rule for rule in policy.require if not rule.columns]
    kept = []
    for division in divisions:
        sizes = np.bincount(division.part, members.people[division.kinds]).astype(np.int64)
        classes = Classes(sizes, np.zeros_like(sizes))
        small = sizes < policy.smallest
        if not small.any() and not any(rule.broken(classes).any() for rule in rules):
            kept.append(division)
    return kept


def _splits(divisions: Sequence[Division], members: ClassMembers) -> defaultdict[int, list[_Split]]:
    """By class: the divisions that divide it."""
    splits: defaultdict[int, list[_Split]] = defaultdict(list)
    for number, division in enumerate(divisions):
        of = members.of[division.kinds]
        order = np.argsort(of, kind="stable")
        start = np.flatnonzero(np.diff(of[order], prepend=-1))
        parts = np.split(division.part[order], start[1:])
        for at, part in zip(of[order][start].tolist(), parts, strict=True):
            if (part != part[0]).any():
                splits[at].append(_Split(number, part))
    return splits
