"""What an attack learns from a release alone: for each class, for each column, and in total.

All attacks of this kind report in the same form. The attacker's *best guess* about a person is the
most probable value. It is compared with the *published* rate: what anyone learns by counting the
rows of the release. Findings hold numbers of people and probabilities, and no cell values of
sensitive columns. They also hold the labels of each class, for the data steward; these are not
printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.release_view import ReleaseView

EQUAL = 1e-9  # probabilities closer than this are equal


@dataclass(frozen=True, slots=True)
class ClassFinding:
    """What is learned about the people of one class, in one sensitive column."""

    rows: int
    certain: int  # people whose value is certain now, and was not by the published rate
    improved: int  # people for whom the best guess is right more often than at the published rate
    published: float  # the published rate of the person about whom most is learned
    posterior: float  # the probability of the best guess about this person
    labels: tuple[str | None, ...] = field(default=(), repr=False)

    @property
    def gain(self) -> float:
        """How much the best guess improves for the person about whom most is learned."""
        return self.posterior - self.published


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """What is learned about one sensitive column."""

    column: str
    rows: int  # people about whom the attack makes a statement
    classes: int
    certain: int
    improved: int
    largest_posterior: float  # of the best guess, where it beats the published rate; else 0
    largest_gain: float
    by_class: tuple[ClassFinding, ...] = field(default=(), repr=False)  # affected, worst first

    @classmethod
    def total(
        cls, column: str, rows: int, classes: int, findings: Iterable[ClassFinding], **more: Any
    ) -> Self:
        """The totals over the classes about which something is learned; ``more`` fields follow."""
        hit = sorted(findings, key=lambda finding: (-finding.gain, -finding.certain, -finding.rows))
        return cls(
            column=column,
            rows=rows,
            classes=classes,
            certain=sum(finding.certain for finding in hit),
            improved=sum(finding.improved for finding in hit),
            largest_posterior=max((finding.posterior for finding in hit), default=0.0),
            largest_gain=max((finding.gain for finding in hit), default=0.0),
            by_class=tuple(hit),
            **more,
        )


@dataclass(frozen=True, slots=True)
class AttackFindings:
    """The result of one attack on one release."""

    attack: str
    assumed: tuple[str, ...]  # what the attacker knows beside the release, in sentences
    columns: tuple[ColumnFinding, ...]
    not_examined: tuple[str, ...] = ()  # what the attack did not look at, and why

    @property
    def certain(self) -> int:
        """People with a value that becomes certain, in the column where they are most."""
        return max((column.certain for column in self.columns), default=0)

    @property
    def improved(self) -> int:
        """People about whom the best guess improves, in the column where they are most."""
        return max((column.improved for column in self.columns), default=0)

    @property
    def largest_posterior(self) -> float:
        """The attacker's best chance, where it beats the published rate; 0 if nowhere."""
        return max((column.largest_posterior for column in self.columns), default=0.0)

    @property
    def largest_gain(self) -> float:
        """How much the best guess improves at most."""
        return max((column.largest_gain for column in self.columns), default=0.0)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings in words, without cell values."""
        return tuple(map(self.column_sentence, self.columns)) + self.not_examined

    def column_sentence(self, column: ColumnFinding) -> str:
        """One column in words."""
        if not column.improved and not column.certain:
            words = "learns nothing beyond what is published"
            return f"{column.column}: the {self.attack} attack {words}."
        return (
            f"{column.column}: the {self.attack} attack makes the value certain for "
            f"{people(column.certain, column.rows)}, and improves the best guess for "
            f"{people(column.improved, column.rows)}, to at most "
            f"{percent(column.largest_posterior)} (by up to {points(column.largest_gain)})."
        )


def people(count: int, rows: int) -> str:
    """``12 of 340 people``."""
    return f"{count:,} of {rows:,} people"


def percent(share: float) -> str:
    """``12.5%``; 100% only if it is exactly that."""
    shown = f"{100 * share:.1f}".removesuffix(".0")
    return f"{'more than 99.9' if shown == '100' and share < 1 else shown}%"


def points(share: float) -> str:
    """``12.5 percentage points``."""
    return f"{f'{100 * share:.1f}'.removesuffix('.0')} percentage points"


def class_labels(view: ReleaseView, at: int) -> tuple[str | None, ...]:
    """The labels of a class."""
    codes = zip(view.columns, view.codes[at].tolist(), strict=True)
    return tuple(column.labels[code] for column, code in codes)


def finding(
    view: ReleaseView,
    at: int,
    people: NDArray[np.int64],
    posterior: NDArray[np.float64],
    published: NDArray[np.float64],
) -> ClassFinding | None:
    """What is learned about kinds of ``people`` of a class, from the probability of the best guess
    about each; None if it is not above the published rate for any kind.
    """
    better = posterior > published + EQUAL
    if not better.any():
        return None
    certain = better & (posterior >= 1 - EQUAL)
    hardest = int((posterior - published).argmax())
    return ClassFinding(
        rows=int(view.rows[at]),
        certain=int(people[certain].sum()),
        improved=int(people[better].sum()),
        published=float(published[hardest]),
        posterior=float(posterior[hardest]),
        labels=class_labels(view, at),
    )
