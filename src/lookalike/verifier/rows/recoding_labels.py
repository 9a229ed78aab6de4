"""The labels that a recoding must give to the values and rows of the original, by its kind.

The verifier's own code reads them from the hierarchies and intervals. ``labels_of`` is the one
place that distinguishes the kinds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import Fault, NotSuited
from lookalike.solution.recoding import CellMap, Cuts, Levels, Recoding, Space
from lookalike.tables.table import Table
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.labels.label_truth import covers
from lookalike.verifier.requirements.sensitive_counts import Flags, Whole

Cells = tuple[str | None, ...]
ColumnLabels = list[Sequence[str | None] | None]  # one label per value; None: the value itself
TextLabels = dict[str, dict[str | None, str | None]]  # by column: the label of each text


@dataclass(frozen=True, slots=True, eq=False)
class RecodingLabels(ABC):
    """The labels of one recoding."""

    original: CountedOriginal
    recoding: Any  # of the kind that a subclass reads

    @abstractmethod
    def by_column(self) -> ColumnLabels | None:
        """The label of each value of each column; None if a value can show several."""

    def by_text(self, table: Table) -> TextLabels | None:
        """The same by the texts of a table, for the columns that do not keep their values."""
        if (columns := self.by_column()) is None:
            return None
        return {
            name: {text: labels[leaf] for text, leaf in table.text_codes(name).items()}
            for name, labels in zip(self.recoding.names, columns, strict=True)
            if labels is not None
        }

    def values_at_levels(self, a: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The values of a column, and the level that some row shows of each."""
        raise NotImplementedError

    def false_labels(self) -> int:
        """The number of values that have a label which is not true of them."""
        wrong = 0
        for a, table in enumerate(self.original.tables):
            is_true = covers(self.original.policy.hierarchies[table.name])
            leaves, levels = self.values_at_levels(a)
            may_be_false = (levels > 0) & (levels < table.height)
            leaves, levels = leaves[may_be_false], levels[may_be_false]
            codes = table.codes[leaves, levels].tolist()
            for leaf, level, code in zip(leaves.tolist(), levels.tolist(), codes, strict=True):
                label, value = table.labels[level][code], self.original.counts.values[a][leaf]
                wrong += (label is None) != (value is None) or (
                    label is not None and not is_true(label, value)
                )
        return wrong

    def by_row(self, values: Sequence[Whole]) -> tuple[list[Cells], Flags | None]:
        """What rows with these values show, the same only within a class; and which of them are
        suppressed, if the recoding says so.
        """
        columns = self.by_column()
        assert columns is not None
        cells = []
        for table, labels, leaves in zip(self.original.tables, columns, values, strict=True):
            own = labels or [table.labels[0][code] for code in table.codes[:, 0].tolist()]
            cells.append([own[leaf] for leaf in leaves.tolist()])
        return list(zip(*cells, strict=True)), None


class LevelLabels(RecodingLabels):
    """Every column at one level."""

    recoding: Levels

    def by_column(self) -> ColumnLabels:
        return [
            [table.labels[level][code] for code in table.codes[:, level].tolist()]
            if level
            else None
            for table, level in zip(self.original.tables, self.recoding.levels, strict=True)
        ]

    def values_at_levels(self, a: int) -> tuple[NDArray[Any], NDArray[Any]]:
        leaves = self.original.tables[a].leaves
        return np.arange(leaves), np.full(leaves, self.recoding.levels[a])


class CutLabels(RecodingLabels):
    """Every column in intervals."""

    recoding: Cuts

    def by_column(self) -> ColumnLabels:
        from lookalike.verifier.claim.cuts.recoding import shown_columns

        columns = shown_columns(self.original, self.recoding)
        return [c.labels and [c.labels[code] for code in c.codes.tolist()] for c in columns]

    def false_labels(self) -> int:
        from lookalike.verifier.claim.cuts.recoding import false_labels

        return false_labels(self.original, self.recoding)


class CellLabels(RecodingLabels):
    """Groups of equal rows in pieces, each with its own levels."""

    recoding: CellMap

    def by_column(self) -> None:
        return None

    def values_at_levels(self, a: int) -> tuple[NDArray[Any], NDArray[Any]]:
        counts = self.original.counts
        leaves = counts.codes[counts.canonical()][self.recoding.group, a]
        leaves, levels = np.unique(np.stack([leaves, self.recoding.levels[:, a]]), axis=1)
        return leaves, levels

    def by_row(self, values: Sequence[Whole]) -> tuple[list[Cells], Flags | None]:
        pieces = self._pieces(values)
        levels = np.maximum(0, self.recoding.levels[pieces])
        cells = [
            [
                table.labels[level][table.codes[leaf, level]]
                for leaf, level in zip(leaves.tolist(), levels[:, a].tolist(), strict=True)
            ]
            for a, (table, leaves) in enumerate(zip(self.original.tables, values, strict=True))
        ]
        return list(zip(*cells, strict=True)), self.recoding.gone[pieces]

    def _pieces(self, values: Sequence[Whole]) -> Whole:
        """The piece of each row; NotSuited if equal rows are in several pieces."""
        from lookalike.verifier.rows.expected_cells import groups_of

        group = self.recoding.group
        if (np.bincount(group) > 1).any():
            problem = "equal rows were released differently, so the class of a row is not known"
            fix = (
                "release by an algorithm that keeps equal rows together, for example flash or "
                "mondrian"
            )
            raise NotSuited(Fault("ledger", problem, fix))
        return np.argsort(group)[groups_of(np.stack(values, axis=1), self.original.counts)]


LABELS: Mapping[Space, Callable[[CountedOriginal, Any], RecodingLabels]] = {
    Space.FULL_DOMAIN: LevelLabels,
    Space.CUTS: CutLabels,
    Space.CELL_LEVEL: CellLabels,
}


def labels_of(original: CountedOriginal, recoding: Recoding) -> RecodingLabels:
    """The labels of a recoding of any kind."""
    return LABELS[recoding.space](original, recoding)
