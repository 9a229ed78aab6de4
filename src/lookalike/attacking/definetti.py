"""DeFinetti: what a release says about all people is used to tell the people of a class apart.

Kifer 2009. In some groups smokers and non-smokers are mixed, and one of them has cancer. The other
groups show that smokers have cancer more often, so here it is probably the smoker. The published
rate of the class ignores this. (DeFinetti's theorem says why one may learn in this way from rows
that are in any order.)

The attacker needs a public list of the people, and no other knowledge: a naive Bayes classifier
(``naive_bayes.py``) is learned from the release itself. As in the paper, two steps take turns:
learn from what is believed about the people of all classes, and assign the values of each class to
its people by what was learned. The paper moves single values between people; here all assignments
are weighed at once, so that the result does not depend on chance or on a seed.

If the release has few assignments, each is weighed by its exact probability in the same model
(with a uniform prior for the parameters), and the beliefs are exact. Otherwise the parameters are
a best guess instead of all possible ones, and the beliefs are approximate. They are beliefs in
either case: the attack makes nothing certain that the release does not, and the model can be
wrong. Given the original table, the findings say how often the attacker is right, and how often
the attacker expects to be right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.attack_findings import AttackFindings, ColumnFinding, people, percent
from lookalike.attacking.class_members import ClassMembers, class_members, in_order_of
from lookalike.attacking.labels.column_match import spans
from lookalike.attacking.naive_bayes import NaiveBayes
from lookalike.attacking.people_posterior import Accuracy, PeoplePosterior
from lookalike.attacking.proportional_fitting import Entries, count_assignments
from lookalike.attacking.release_view import ReleaseView
from lookalike.attacking.value_assignments import list_worlds, together
from lookalike.counts.frequency_set import FrequencySet, Histogram
from lookalike.problem.sensitive_texts import text_histogram

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
MAX_WORLDS = 5000  # of all classes together, that are weighed one by one
MAX_ENTRIES = 20_000_000  # kinds of people, times values of the classes that fit
MAX_STATES = 20_000  # of the assignments of a class, times its people
ROUNDS = 2  # more rounds come nearer to the model, but become more certain than is justified
SETTLED_CHANGE = 1e-4  # probabilities that change by less have settled
MIN_LOG_LIKELIHOOD = -30.0  # of a log-likelihood against the largest: nothing is impossible
TINY = 1e-300
MAX_BELIEF = 1 - 1e-6  # the most that is believed without proof
ASSUMED = (
    "The attacker has a public list with the quasi-identifiers of everybody in the table.",
    "Given the sensitive value, the quasi-identifiers of a person are independent.",
)


@dataclass(frozen=True, slots=True)
class DefinettiColumn(ColumnFinding):
    """One sensitive column."""

    exact: bool = False  # are the beliefs exact in the model, or approximate?
    rounds: int = 0  # of learning and assigning
    accuracy: Accuracy | None = None  # on the original, if that was given


@dataclass(frozen=True, slots=True)
class DefinettiFindings(AttackFindings):
    """What is learned from the release about the people of a class."""

    columns: tuple[DefinettiColumn, ...] = field(default=())
    beliefs: tuple[PeoplePosterior, ...] = field(default=(), repr=False, compare=False)

    def column_sentence(self, column: ColumnFinding) -> str:
        assert isinstance(column, DefinettiColumn)
        if not column.improved:
            sentence = (
                f"{column.column}: the deFinetti attack learns nothing beyond what is published."
            )
        else:
            sentence = (
                f"{column.column}: by a model learned from the release itself, the best guess is "
                f"more probable than the published rate for "
                f"{people(column.improved, column.rows)}, at most "
                f"{percent(column.largest_posterior)}."
            )
        if column.accuracy is None:
            return sentence
        accuracy = column.accuracy
        return (
            f"{sentence} On the original table it is right for {percent(accuracy.attack)} of the "
            f"people (the attacker expects {percent(accuracy.believed)}), and the most frequent "
            f"value of the class for {percent(accuracy.published)}."
        )


def attack_by_definetti(
    view: ReleaseView,
    *,
    sensitive: Sequence[str] | None = None,
    on: Sequence[str] | None = None,
    original: FrequencySet | None = None,
    prior: float = 1.0,
    max_worlds: int = MAX_WORLDS,
    rounds: int = ROUNDS,
) -> DefinettiFindings:
    """Learn who has which value from the classes of the release, with a list of the people.

    Parameters
    ----------
    view : ReleaseView
        The release as an attacker sees it, with a list of all people.
    sensitive : sequence of str, optional
        The columns to attack; by default all whose values the view has.
    on : sequence of str, optional
        The quasi-identifiers to learn from; by default all.
    original : FrequencySet, optional
        The original table, to see how often the attacker would be right.
    prior : float
        What is added to each count before anything is learned; above 0.
    max_worlds : int
        With more assignments than this, the beliefs are approximate.
    rounds : int
        How often to learn and assign. More rounds come nearer to the exact beliefs of the model.
        But quasi-identifiers are not independent in real tables, and each round makes the beliefs
        more certain. After two rounds they are right about as often as they claim.

    Returns
    -------
    DefinettiFindings
        The best guess about a person is compared with the rates of the rows that fit the person.

    Raises
    ------
    ValueError
        If ``prior`` is not above 0.
    """
    if prior <= 0:
        raise ValueError(f"prior is {prior:g}; it must be above 0")
    names = tuple(view.sensitive if sensitive is None else sensitive)
    if view.known_people is None:
        return _not_run("it needs a list with the quasi-identifiers of everybody")
    listed = in_order_of(view, view.known_people)
    members = class_members(view, listed)
    model = NaiveBayes.over(listed, tuple(view.policy.names if on is None else on), prior)
    if _lacks_people(view, members):
        return _not_run("the list lacks people who are in the release")
    columns, beliefs, unexamined = [], [], []
    for name in names:
        attack = _Attack(view, members, model, text_histogram(view.sensitive[name]))
        if attack.size > MAX_ENTRIES:
            unexamined.append(f"{name}: not examined by the deFinetti attack, too many rows fit.")
            continue
        run = attack.run(max_worlds, rounds)
        belief = attack.belief(name, run.chance)
        total = DefinettiColumn.total(
            name,
            int(view.rows.sum()),
            view.classes,
            belief.findings(view),
            exact=run.exact,
            rounds=run.rounds,
            accuracy=None if original is None else belief.accuracy(original, listed),
        )
        columns.append(total)
        beliefs.append(belief)
    return DefinettiFindings(
        "deFinetti", ASSUMED, tuple(columns), tuple(unexamined), tuple(beliefs)
    )


def _lacks_people(view: ReleaseView, members: ClassMembers) -> bool:
    kind, at = members.pairs
    fitting = np.bincount(at, members.people[kind], view.classes)  # people who fit each class
    return bool((fitting < view.rows).any()) or int(members.people[np.unique(kind)].sum()) < int(
        view.rows.sum()
    )


def _not_run(reason: str) -> DefinettiFindings:
    return DefinettiFindings(
        "deFinetti", ASSUMED, (), (f"The deFinetti attack was not run: {reason}.",)
    )


class _Run(NamedTuple):
    """The beliefs at the end."""

    chance: Floats  # (kinds, values)
    exact: bool
    rounds: int


class _Attack:
    """The attack on one column. Kinds of people that fit no class are left out."""

    def __init__(
        self, view: ReleaseView, members: ClassMembers, model: NaiveBayes, histogram: Histogram
    ) -> None:
        self.view, self.members = view, members
        self.values = histogram.values
        order = np.argsort(histogram.group, kind="stable")
        self.code = histogram.code[order].astype(np.int64)
        self.count = histogram.count[order]
        self.start = np.searchsorted(histogram.group[order], np.arange(view.classes + 1))
        kind, self.at = members.pairs
        self.kinds, self.kind = np.unique(kind, return_inverse=True)
        self.people = members.people[self.kinds]
        self.model = replace(model, codes=model.codes[self.kinds])
        self.lengths = self.start[self.at + 1] - self.start[self.at]

    @property
    def size(self) -> int:
        """The numbers to fit."""
        return int(self.lengths.sum()) + len(self.kinds) * len(self.values)

    def run(self, max_worlds: int, rounds: int) -> _Run:
        """Exactly if there are few assignments, else in rounds."""
        return self._weighed(max_worlds) or self._in_rounds(rounds)

    def belief(self, name: str, chance: Floats) -> PeoplePosterior:
        """The beliefs, with what is published about the same people."""
        entries = self._entries()
        inside = entries.value >= 0
        rows = np.zeros((len(self.kinds), len(self.values)))
        cells = entries.rows[entries.cell[inside]]
        np.add.at(rows, (entries.kind[inside], entries.value[inside]), cells)
        first = np.full(len(self.kinds), self.view.classes)
        np.minimum.at(first, self.kind, self.at)
        published = rows / rows.sum(axis=1, keepdims=True)
        return PeoplePosterior(name, self.values, self.kinds, first, self.people, chance, published)

    def _entries(self) -> Entries:
        """Each kind of people with each value of each class that fits."""
        cell = spans(self.start[self.at], self.lengths)
        kind, value = np.repeat(self.kind, self.lengths), self.code[cell]
        rows = self.count.astype(np.float64)
        outside = float(self.people.sum() - rows.sum())  # people on the list without a row
        if outside:
            everybody = np.arange(len(self.kinds))
            kind = np.concatenate([kind, everybody])
            value = np.concatenate([value, np.full(len(everybody), -1)])
            cell = np.concatenate([cell, np.full(len(everybody), len(rows))])
            rows = np.append(rows, outside)
        return Entries(kind, value, cell, self.people.astype(np.float64), rows)

    def _classes(self) -> list[tuple[slice, Whole]]:
        """The complete classes: their values, and their kinds as places among ``kinds``."""
        return [
            (
                slice(int(self.start[at]), int(self.start[at + 1])),
                np.searchsorted(self.kinds, kinds),
            )
            for at, kinds in self.members.by_class()
        ]

    def _weighed(self, limit: int) -> _Run | None:
        """Weigh every assignment of the whole release by its probability in the model."""
        if not self.members.complete.all():
            return None
        listed, classes = [], self._classes()
        for held, kinds in classes:
            rows = np.bincount(self.code[held], self.count[held], len(self.values)).astype(int)
            worlds = list_worlds(self.people[kinds].tolist(), rows.tolist(), limit)
            if worlds is None:
                return None
            listed.append(worlds)
        worlds = together(listed, limit) if listed else None
        if worlds is None:
            return None
        kinds = np.concatenate([kinds for _, kinds in classes])
        evidence = self.model.log_evidence(worlds, kinds)
        weight = worlds.weight * np.exp(evidence - evidence.max())
        expected = np.tensordot(weight / weight.sum(), worlds.rows, axes=1)  # (cells, values)
        chance = np.zeros((len(self.kinds), len(self.values)))
        chance[kinds] = expected / self.people[kinds, None]
        return _Run(chance, True, 0)

    def _in_rounds(self, rounds: int) -> _Run:
        """Learn, and assign by what was learned, until the beliefs settle."""
        entries, many = self._entries(), len(self.values)
        likelihood = np.ones((len(self.kinds), many))
        believed = entries.believed(entries.fit(likelihood), many)
        done = 0
        for _ in range(rounds):
            done += 1
            likelihood = self._likelihood(believed)
            last, believed = believed, entries.believed(entries.fit(likelihood), many)
            if (np.abs(believed - last) <= SETTLED_CHANGE * self.people[:, None]).all():
                break
        chance = believed / np.maximum(believed.sum(axis=1, keepdims=True), TINY)
        for held, kinds in self._classes():
            sizes, rows, codes = self.people[kinds], self.count[held], self.code[held]
            if math.prod((rows + 1).tolist()) * int(sizes.sum()) <= MAX_STATES:
                chance[kinds] = 0
                chance[kinds[:, None], codes] = count_assignments(
                    sizes.tolist(), rows.tolist(), likelihood[kinds[:, None], codes]
                )
        several = self.belief("", chance).published.max(axis=1, initial=0) < 1
        chance[several] = np.minimum(chance[several], MAX_BELIEF)
        return _Run(chance, False, done)

    def _likelihood(self, believed: Floats) -> Floats:
        """(kinds, values) relative to the largest of each kind, and never zero."""
        log = self.model.log_likelihood(believed)
        return np.asarray(
            np.exp(np.maximum(log - log.max(axis=1, keepdims=True), MIN_LOG_LIKELIHOOD))
        )
