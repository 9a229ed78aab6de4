"""Read the label of an interval: of which values is it true?

It must be true of all values of its interval, and of no other value of the column. Only the text of
the label is used, not the code that made it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.policy.cell_text import is_null, text
from lookalike.policy.hierarchies.bands import Bands
from lookalike.policy.hierarchies.dates import Dates
from lookalike.policy.hierarchy import Hierarchy
from lookalike.verifier.labels.label_truth import covers
from lookalike.verifier.labels.range_truth import ReadRange, read_days, read_numbers

ITEM = r'"(?:[^"\\]|\\.)*"|[^,{}()"…]+?'  # a value in a list, quoted if it has such a character
LIST = re.compile(rf"\{{(?:{ITEM})(?:, (?:{ITEM}))*\}}")
ENDS = re.compile(rf"\{{({ITEM}) … ({ITEM}), (\d+) (?:values|groups)\}}")
OR_MISSING = " or missing"


class Reader:
    """Reads the labels of one column, whose finest level allowed is ``low``."""

    def __init__(
        self, table: LevelTable, values: Sequence[Value], hierarchy: Hierarchy, low: int
    ) -> None:
        self.values = values
        self.nulls = {leaf for leaf, value in enumerate(values) if is_null(value)}
        self.is_true = covers(hierarchy)
        self.named: dict[str, set[int]] = {}  # the leaves of each single value, in order
        order = range(len(values)) if table.order is None else table.order.tolist()
        for leaf in order:
            if leaf in self.nulls:
                continue
            name = table.labels[low][table.codes[leaf, low]] if low else text(values[leaf])
            if name is not None and (low in (0, table.height) or self.is_true(name, values[leaf])):
                self.named.setdefault(name, set()).add(leaf)
        self.in_range: ReadRange | None = None
        if isinstance(hierarchy, Bands):
            self.in_range = read_numbers(values)
        elif isinstance(hierarchy, Dates):
            self.in_range = read_days(values, hierarchy.format)

    def true_of(self, label: str | None) -> set[int]:
        """The leaves that a label is true of."""
        if label is None:
            return self.nulls
        if label == TOP:
            return set(range(len(self.values)))
        if label in self.named:
            return self.named[label]
        bare = _phrases(label, nulls=False)[-1]
        if bare == TOP:
            return self.named.get(TOP, set())
        if bare.endswith(OR_MISSING):
            rest = bare.removesuffix(OR_MISSING)
            return self.nulls | (
                self.named.get(rest) or self._phrase(_phrases(rest, nulls=False)[-1])
            )
        return self._phrase(bare)

    def _phrase(self, label: str) -> set[int]:
        if label == "not missing":
            return set(range(len(self.values))) - self.nulls
        if label.startswith("{"):
            return self._listed(label)
        if self.in_range is not None:
            return set(self.in_range(label))
        return {
            leaf
            for leaf, value in enumerate(self.values)
            if leaf not in self.nulls and self.is_true(label, value)
        }

    def _listed(self, label: str) -> set[int]:
        """``{a, b}``, or from one to the other in the column's order: ``{a … t, 20 values}``."""
        if match := ENDS.fullmatch(label):
            first, last = _unquoted(match[1]), _unquoted(match[2])
            if first not in self.named or last not in self.named:
                return set()
            order = list(self.named)
            names = order[order.index(first) : order.index(last) + 1]
            if len(names) != int(match[3]):
                return set()
        elif LIST.fullmatch(label):
            names = _items(label)
        else:
            return set()
        return set().union(*(self.named.get(name, set()) for name in names))


def _unquoted(item: str) -> str:
    return str(json.loads(item)) if item.startswith('"') else item


def _items(label: str) -> list[str]:
    """The values of a list that is written in full."""
    items: list[str] = re.findall(ITEM.removesuffix("?"), label[1:-1])
    return [_unquoted(item.strip()) for item in items if item.strip()]


def is_shortened(label: str | None) -> bool:
    """Is it a list of values of which only the ends are shown?"""
    phrases = [phrase for nulls in (False, True) for phrase in _phrases(label or "", nulls=nulls)]
    return any(ENDS.fullmatch(phrase) for phrase in phrases)


def lists(label: str | None, values: Sequence[str | None]) -> bool:
    """Is it a single value, or a list of exactly these, in full or by its ends? None is a null."""
    names = [value for value in values if value is not None]
    if label is None or not names:
        return label is None and list(values) == [None]
    return any(
        phrase == names[0] if len(names) == 1 else _is_list(phrase, names)
        for phrase in _phrases(label, nulls=len(names) < len(values))
    )


def _is_list(phrase: str, names: Sequence[str]) -> bool:
    if match := ENDS.fullmatch(phrase):
        ends = (_unquoted(match[1]), _unquoted(match[2]), int(match[3]))
        return ends == (names[0], names[-1], len(names))
    return LIST.fullmatch(phrase) is not None and _items(phrase) == list(names)


def _phrases(label: str, *, nulls: bool) -> list[str]:
    """What a label may say, with and without brackets; ``nulls`` if it also says "or missing"."""
    phrases = [label]
    while phrases[-1].startswith("(") and phrases[-1].endswith(")"):
        phrases.append(phrases[-1][1:-1])
    if not nulls:
        return phrases
    others = [p.removesuffix(OR_MISSING) for p in phrases if p.endswith(OR_MISSING)]
    return [phrase for other in others for phrase in _phrases(other, nulls=False)]
