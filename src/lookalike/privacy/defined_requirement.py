"""``DefinedRequirement``: the base class of requirements of other packages, given by a definition.

Search and verifier both judge by the definition, class by class, on classes that each counts with
code of its own. A faster ``broken`` may be added for the search; it must agree with the definition.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import Flags, Requirement

RowsByValue = Mapping[str | None, int]  # values as text; None is a null


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """One equivalence class in plain counts, beside the release as a whole."""

    rows: int
    values: Mapping[str, RowsByValue]  # by sensitive column: the rows of the class
    release: Mapping[str, RowsByValue]  # by sensitive column: the rows of the release


class DefinedRequirement(Requirement, ABC):
    """A requirement that is defined on a class in plain counts."""

    @abstractmethod
    def breaks(self, group: ClassCounts) -> bool:
        """Does this class break the requirement, so that it must not be released?"""

    def never_met(self, group: ClassCounts) -> bool:
        """Does every part of this class break it too, whatever else is suppressed?"""
        return self.grows and self.breaks(group)

    def met_by(self, sizes: Sequence[int]) -> bool:
        """Does a release of classes of these sizes meet the table-wide part, if there is one?"""
        return True

    def broken(self, classes: Classes) -> Flags:
        return self._flags(self.breaks, classes)

    def hopeless(self, classes: Classes) -> Flags:
        return self._flags(self.never_met, classes)

    def met(self, classes: Classes, kept: Flags) -> bool:
        return self.met_by(classes.sizes[kept].tolist())

    def _flags(self, definition: Callable[[ClassCounts], bool], classes: Classes) -> Flags:
        held: list[dict[str, dict[str | None, int]]] = [
            {name: {} for name in self.columns} for _ in range(len(classes))
        ]
        release = {}
        for name in self.columns:
            spread = classes.spreads[name]
            texts = [None if value is None else str(value) for value in spread.values]
            release[name] = dict(zip(texts, spread.total.tolist(), strict=True))
            for of, code, count in zip(spread.of, spread.code, spread.count, strict=True):
                held[of][name][texts[code]] = int(count)
        groups = map(ClassCounts, classes.sizes.tolist(), held, [release] * len(held))
        return np.fromiter(map(definition, groups), dtype=np.bool_, count=len(held))
