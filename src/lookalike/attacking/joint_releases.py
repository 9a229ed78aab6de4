"""Complementary releases: the same outsider against two releases held together.

What is done, exactly. For each person whom rows of both releases fit:

- *Values.* The values of a sensitive column in the rows that fit, in the one release and in the
  other; a person in both has a value that is in both sets. Counted are people left with one value
  though each release alone left several, and people left with none: they cannot be in both.
- *Rows.* A person's row shows the same kept cells in both. For each tuple t of kept cells, a(t)
  rows of the one release and b(t) of the other fit the person and hold t; no more than the sum of
  min(a(t), b(t)) people are in both and fit. Where a kept tuple is unique in both, the two rows are
  matched for certain.

It rests on three things: the person is in both releases, both are about the same people at the same
time, and the kept columns are released as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.record_linkage import Link
from lookalike.attacking.sensitive_inference import Entries, Held
from lookalike.counts.frequency_set import FrequencySet, Histogram
from lookalike.counts.level_table import Value
from lookalike.counts.tuple_keys import numbered_tuples
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import missing

Whole = NDArray[np.int64]
STEP = 1 << 12  # kinds of people at a time


@dataclass(frozen=True, slots=True)
class ValuesTogether:
    """One sensitive column that both releases have."""

    column: str
    one_left: int  # people with one value in common, though each release alone left several
    none_left: int  # people with no value in common: not in both, or the column was changed


@dataclass(frozen=True, slots=True)
class Together:
    """What two releases say that neither says alone."""

    table: str  # the other release
    on: tuple[str, ...]  # columns known of both
    kept: tuple[str, ...]  # columns by which rows are matched
    people: int  # whom rows of both fit
    values: tuple[ValuesTogether, ...]
    matched_rows: int  # kept tuples unique in both: the same person's row, for certain
    one_row: int  # people down to one row, though each release alone left several
    fewest: int  # rows that are left, of the people to whom any is
    best: float  # 1 / fewest

    @property
    def certainty(self) -> float:
        return max([self.best, *(1.0 for one in self.values if one.one_left)])


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Kept cells of a release as one column: tuples of them, numbered alike in both releases."""

    held: Held
    alone: NDArray[np.bool_]  # (tuples) held by one row of the release


def together(
    table: str,
    links: tuple[Link, Link],
    sensitive: Sequence[str],
    kept: Sequence[str],
    fine: tuple[FrequencySet, FrequencySet] | None,
) -> Together:
    """``fine`` counts each release over the known and the kept columns; None if none is kept."""
    of, first = numbered_tuples([link.of for link in links], len(links[0].of))
    pairs = np.stack([link.of[first] for link in links], axis=1)  # (kinds of people, releases)
    counts = links[0].meeting.outsiders.counts
    people = np.bincount(of, weights=counts, minlength=len(first)).astype(np.int64)
    in_both = (links[0].fitting[pairs[:, 0]] > 0) & (links[1].fitting[pairs[:, 1]] > 0)
    pairs, people = pairs[in_both], people[in_both]
    columns = {name: _same_codes(links[0].held[name], links[1].held[name]) for name in sensitive}
    rows = _kept(links, fine) if fine is not None else None
    one_left, none_left = dict.fromkeys(sensitive, 0), dict.fromkeys(sensitive, 0)
    left = np.zeros(len(people), dtype=np.int64)
    for begin in range(0, len(people), STEP):
        here = slice(begin, begin + STEP)
        both = [_pairs(link, pairs[here, at]) for at, link in enumerate(links)]
        for name, held in columns.items():
            sets = [one.entries(*pair) for one, pair in zip(held, both, strict=True)]
            ones, shared = _shared(sets, len(held[0].values), len(people[here]))
            several = [np.bincount(s.person, minlength=len(people[here])) > 1 for s in sets]
            now_one = (ones == 1) & several[0] & several[1]
            one_left[name] += int(people[here][now_one].sum())
            none_left[name] += int(people[here][ones == 0].sum())
        if rows is not None:
            sets = [one.held.entries(*pair) for one, pair in zip(rows, both, strict=True)]
            _, shared = _shared(sets, len(rows[0].held.values), len(people[here]))
            left[here] = shared
    before = np.minimum(links[0].fitting[pairs[:, 0]], links[1].fitting[pairs[:, 1]])
    if rows is None:
        left = before
    fewest = int(left[left > 0].min(initial=np.iinfo(np.int64).max)) if (left > 0).any() else 0
    return Together(
        table=table,
        on=links[1].meeting.release.names,
        kept=tuple(kept),
        people=int(people.sum()),
        values=tuple(ValuesTogether(n, one_left[n], none_left[n]) for n in sensitive),
        matched_rows=int((rows[0].alone & rows[1].alone).sum()) if rows else 0,
        one_row=int(people[(left == 1) & (before > 1)].sum()),
        fewest=fewest,
        best=1 / fewest if fewest else 0.0,
    )


def _pairs(link: Link, kinds: Whole) -> tuple[Whole, Whole, int]:
    """People from 0 up, and the tuples that fit each."""
    chunks = list(link.meeting.candidates(link.alike[kinds]).chunks())
    none = np.zeros(0, dtype=np.int64)
    person = np.concatenate([none, *(chunk.person for chunk in chunks)])
    place = np.concatenate([none, *(chunk.tuple for chunk in chunks)])
    return person, place, len(kinds)


def _shared(sets: Sequence[Entries], values: int, people: int) -> tuple[Whole, Whole]:
    """Per person: values in both sets, and the sum of the smaller counts."""
    ours, theirs = (one.person * values + one.code for one in sets)
    keys, at, other = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    person = keys // max(1, values)
    smaller = np.minimum(sets[0].count[at], sets[1].count[other])
    counted = np.bincount(person, minlength=people)
    return counted, np.bincount(person, weights=smaller, minlength=people).astype(np.int64)


def _same_codes(ours: Held, theirs: Held) -> tuple[Held, Held]:
    """Both with codes that are equal where the values read the same."""
    codes = _common_codes(_texts(ours.values), _texts(theirs.values))
    size = int(max((one.max(initial=-1) for one in codes), default=-1)) + 1
    return _recoded(ours, codes[0], size), _recoded(theirs, codes[1], size)


def _recoded(held: Held, code: Whole, size: int) -> Held:
    group = np.repeat(np.arange(len(held.start) - 1), np.diff(held.start))
    values: tuple[Value, ...] = tuple(range(size))
    new = code[held.code].astype(np.int32)
    return Held(Histogram(values, group, new, held.count), len(held.start) - 1)


def _kept(links: tuple[Link, Link], fine: tuple[FrequencySet, FrequencySet]) -> tuple[Kept, Kept]:
    """Kept cells as one column of each release, numbered alike."""
    known = [len(link.meeting.release.names) for link in links]
    columns = []
    for ours, theirs in zip(fine[0].values[known[0] :], fine[1].values[known[1] :], strict=True):
        columns.append(_common_codes(_texts(ours), _texts(theirs)))
    both = [
        [column[side][one.codes[:, known[side] + at]] for at, column in enumerate(columns)]
        for side, one in enumerate(fine)
    ]
    joined = [np.concatenate(pair) for pair in zip(*both, strict=True)]
    of, first = numbered_tuples(joined, fine[0].groups + fine[1].groups)
    sides = (of[: fine[0].groups], of[fine[0].groups :])
    return (
        _one_kept(links[0], fine[0], sides[0], len(first)),
        _one_kept(links[1], fine[1], sides[1], len(first)),
    )


def _one_kept(link: Link, fine: FrequencySet, of: Whole, size: int) -> Kept:
    release = link.meeting.release
    coarse = [release.codes[:, at] for at in range(len(release.names))]
    finer = [fine.codes[:, at] for at in range(len(release.names))]
    both = [np.concatenate(pair) for pair in zip(coarse, finer, strict=True)]
    number, _ = numbered_tuples(both, release.groups + fine.groups)
    group = np.empty(release.groups, dtype=np.int64)
    group[number[: release.groups]] = np.arange(release.groups)
    values: tuple[Value, ...] = tuple(range(size))
    histogram = Histogram(values, group[number[release.groups :]], of.astype(np.int32), fine.counts)
    held = Held(histogram, release.groups)
    return Kept(held, held.total == 1)


def _texts(values: Sequence[Value]) -> list[str | None]:
    return [None if missing(value) else text(value) for value in values]


def _common_codes(ours: Sequence[str | None], theirs: Sequence[str | None]) -> tuple[Whole, Whole]:
    """Codes for the texts of two tables, equal where the texts are."""
    code: dict[str | None, int] = {}
    both = [[code.setdefault(text, len(code)) for text in side] for side in (ours, theirs)]
    return np.array(both[0], dtype=np.int64), np.array(both[1], dtype=np.int64)
