"""The attack on two releases together (complementary releases).

For each person whom rows of both releases fit:

- *Values.* Take the values of a sensitive column in the rows that fit, in each release. A person
  who is in both releases has a value that is in both sets. The attack counts people for whom one
  value is left although each release alone leaves several, and people for whom none is left: they
  cannot be in both releases.
- *Rows.* The row of a person has the same kept cells in both releases. For each tuple t of kept
  cells, a(t) rows of one release and b(t) rows of the other fit the person and have t; at most
  Σ min(a(t), b(t)) people are in both and fit. If a kept tuple is unique in both releases, the two
  rows are matched with certainty.

This assumes that the person is in both releases, that both are about the same people at the same
time, and that the kept columns are released unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.label_parsing import texts
from lookalike.attacking.record_linkage import Linkage
from lookalike.attacking.sensitive_inference import SensitiveValues, ValueEntries
from lookalike.counts.frequency_set import FrequencySet, Histogram
from lookalike.counts.level_table import Value
from lookalike.counts.tuple_keys import numbered_tuples

Whole = NDArray[np.int64]
CHUNK_KINDS = 1 << 12  # kinds of people at a time


@dataclass(frozen=True, slots=True)
class JointValues:
    """What both releases together reveal about one sensitive column."""

    column: str
    one_left: int  # people with one value in common, although each release alone leaves several
    none_left: int  # people with no value in common: not in both, or the column was changed


@dataclass(frozen=True, slots=True)
class JointFindings:
    """What two releases reveal together that neither reveals alone."""

    table: str  # the other release
    on: tuple[str, ...]  # columns that the outsider knows, in both
    kept: tuple[str, ...]  # columns by which rows are matched
    people: int  # whom rows of both releases fit
    values: tuple[JointValues, ...]
    matched_rows: int  # kept tuples that are unique in both: certainly the same person's row
    one_row: int  # people with one row left, although each release alone leaves several
    fewest: int  # fewest rows left for a person for whom any is left
    best: float  # 1 / fewest

    @property
    def certainty(self) -> float:
        """The best chance of the attacker: to find a row, or to learn a value."""
        return max([self.best, *(1.0 for column in self.values if column.one_left)])


def together(
    table: str,
    links: tuple[Linkage, Linkage],
    sensitive: Sequence[str],
    kept: Sequence[str],
    fine: tuple[FrequencySet, FrequencySet] | None,
) -> JointFindings:
    """``fine`` counts each release over the known and the kept columns; None without kept ones."""
    of, first = numbered_tuples([link.of for link in links], len(links[0].of))
    pairs = np.stack([link.of[first] for link in links], axis=1)  # (kinds of people, releases)
    counts = links[0].meeting.outsiders.counts
    people = np.bincount(of, weights=counts, minlength=len(first)).astype(np.int64)
    fitting = np.stack([link.fitting[link.of[first]] for link in links], axis=1)
    in_both = (fitting > 0).all(axis=1)
    pairs, people = pairs[in_both], people[in_both]
    columns = {name: _same_codes(links[0].held[name], links[1].held[name]) for name in sensitive}
    cells = _kept_cells(links, fine) if fine is not None else None
    one_left, none_left = dict.fromkeys(sensitive, 0), dict.fromkeys(sensitive, 0)
    left = np.zeros(len(people), dtype=np.int64)
    for begin in range(0, len(people), CHUNK_KINDS):
        here = slice(begin, begin + CHUNK_KINDS)
        both = [_pairs(link, pairs[here, at]) for at, link in enumerate(links)]
        for name, held in columns.items():
            sets = [side.entries(*pair) for side, pair in zip(held, both, strict=True)]
            ones, _ = _shared(sets, len(held[0].values), len(people[here]))
            several = [np.bincount(s.person, minlength=len(people[here])) > 1 for s in sets]
            now_one = (ones == 1) & several[0] & several[1]
            one_left[name] += int(people[here][now_one].sum())
            none_left[name] += int(people[here][ones == 0].sum())
        if cells is not None:
            sets = [side.entries(*pair) for side, pair in zip(cells, both, strict=True)]
            _, left[here] = _shared(sets, len(cells[0].values), len(people[here]))
    before = fitting[in_both].min(axis=1)
    if cells is None:
        left = before
    fewest = int(left[left > 0].min()) if (left > 0).any() else 0
    return JointFindings(
        table=table,
        on=links[1].meeting.release.names,
        kept=tuple(kept),
        people=int(people.sum()),
        values=tuple(JointValues(n, one_left[n], none_left[n]) for n in sensitive),
        # tuples in only one row of each release
        matched_rows=int(((cells[0].total == 1) & (cells[1].total == 1)).sum()) if cells else 0,
        one_row=int(people[(left == 1) & (before > 1)].sum()),
        fewest=fewest,
        best=1 / fewest if fewest else 0.0,
    )


def _pairs(link: Linkage, kinds: Whole) -> tuple[Whole, Whole, int]:
    """The people, numbered from 0, and the tuples that fit each."""
    chunks = list(link.meeting.candidates(link.alike[kinds]).chunks())
    none = np.zeros(0, dtype=np.int64)
    person = np.concatenate([none, *(chunk.person for chunk in chunks)])
    place = np.concatenate([none, *(chunk.tuple for chunk in chunks)])
    return person, place, len(kinds)


def _shared(sets: Sequence[ValueEntries], values: int, people: int) -> tuple[Whole, Whole]:
    """For each person: how many values are in both sets, and the sum of the smaller counts."""
    ours, theirs = (entries.person * values + entries.code for entries in sets)
    keys, at, other = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    person = keys // max(1, values)
    smaller = np.minimum(sets[0].rows[at], sets[1].rows[other])
    counted = np.bincount(person, minlength=people)
    return counted, np.bincount(person, weights=smaller, minlength=people).astype(np.int64)


def _same_codes(
    ours: SensitiveValues, theirs: SensitiveValues
) -> tuple[SensitiveValues, SensitiveValues]:
    """Both with the same codes for values with the same text."""
    codes = _common_codes(ours.values, theirs.values)
    size = max(side.max(initial=-1) for side in codes) + 1
    return _recoded(ours, codes[0], size), _recoded(theirs, codes[1], size)


def _recoded(held: SensitiveValues, code: Whole, size: int) -> SensitiveValues:
    tuples = len(held.start) - 1
    group = np.repeat(np.arange(tuples), np.diff(held.start))
    new = code[held.code].astype(np.int32)
    return SensitiveValues(Histogram(tuple(range(size)), group, new, held.count), tuples)


def _kept_cells(
    links: tuple[Linkage, Linkage], fine: tuple[FrequencySet, FrequencySet]
) -> tuple[SensitiveValues, SensitiveValues]:
    """The kept cells of each release as one column of tuples, with the same numbers in both."""
    known = [len(link.meeting.release.names) for link in links]
    kept = [counts.values[at:] for counts, at in zip(fine, known, strict=True)]
    columns = [_common_codes(ours, theirs) for ours, theirs in zip(*kept, strict=True)]
    joined = [
        np.concatenate(
            [codes[side][counts.codes[:, known[side] + at]] for side, counts in enumerate(fine)]
        )
        for at, codes in enumerate(columns)
    ]
    of, first = numbered_tuples(joined, fine[0].groups + fine[1].groups)
    sides = (of[: fine[0].groups], of[fine[0].groups :])
    return (
        _one_kept(links[0], fine[0], sides[0], len(first)),
        _one_kept(links[1], fine[1], sides[1], len(first)),
    )


def _one_kept(link: Linkage, fine: FrequencySet, of: Whole, size: int) -> SensitiveValues:
    release = link.meeting.release
    both = [
        np.concatenate([release.codes[:, at], fine.codes[:, at]])
        for at in range(len(release.names))
    ]
    number, _ = numbered_tuples(both, release.groups + fine.groups)
    group = np.empty(release.groups, dtype=np.int64)
    group[number[: release.groups]] = np.arange(release.groups)
    of_fine = group[number[release.groups :]]
    histogram = Histogram(tuple(range(size)), of_fine, of.astype(np.int32), fine.counts)
    return SensitiveValues(histogram, release.groups)


def _common_codes(ours: Sequence[Value], theirs: Sequence[Value]) -> tuple[Whole, Whole]:
    """Codes for the values of two tables, equal where the texts are."""
    code: dict[str | None, int] = {}
    both = [[code.setdefault(text, len(code)) for text in texts(side)] for side in (ours, theirs)]
    return np.array(both[0], dtype=np.int64), np.array(both[1], dtype=np.int64)
