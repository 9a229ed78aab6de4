"""One text inside another: a postal code inside an address, a prefix, the initials of a name.

A row fits if the shorter text is found in the longer one; capital letters, spaces at the ends and
accents do not count. Every text contains some letters of every other, so the share is compared with
that of texts paired at random. Rows that fit are counted as those with the same shorter text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from lookalike.policy.cell_text import is_null, text
from lookalike.risks.kept_columns.coded_table import CodedColumn, CodedTable, Flags
from lookalike.risks.kept_columns.findings import Kind
from lookalike.risks.kept_columns.relation import NEARLY, SLACK, Relation, measured_relation

TRIED = 300  # tuples of a sample that rule out most columns
GLANCED = 50  # of these, that rule out most of the others
SHUFFLES = 5
FORM_LENGTH = 3.0  # nats: which of the forms, and in which direction

Cells = NDArray[np.object_]
Form = Callable[[str, str], bool]  # of the shorter and the longer text


def plain_text(cell: str) -> str:
    """Without accents, capital letters, and spaces at the ends."""
    if cell.isascii():
        return cell.strip().casefold()
    signs = unicodedata.normalize("NFKD", cell.strip())
    return "".join(sign for sign in signs if not unicodedata.combining(sign)).casefold()


def initials(cell: str) -> str:
    """The first letter or digit of each word."""
    return "".join(word[0] for word in re.findall(r"[^\W_]+", cell))


FORMS: tuple[Form, ...] = (
    lambda shorter, longer: longer.startswith(shorter),
    lambda shorter, longer: longer.endswith(shorter),
    lambda shorter, longer: shorter in longer,
    lambda shorter, longer: re.sub(r"[\W_]", "", shorter) == initials(longer),
)


class Texts:
    """The plain texts of columns, made once for each value and only if needed."""

    def __init__(self) -> None:
        self._texts: dict[str, Cells] = {}

    def of(self, column: CodedColumn) -> Cells:
        """(tuples,) the plain text of each cell, empty for null."""
        cells: Cells = self.of_values(column)[column.codes]
        return cells

    def of_values(self, column: CodedColumn) -> Cells:
        """(values,) the plain text of each value that occurs in some tuple, empty for null."""
        texts = self._texts.setdefault(column.name, np.full(column.width, None, dtype=object))
        new = texts[column.codes] == None  # noqa: E711 - cell by cell
        for code in np.unique(column.codes[new]).tolist():
            value = column.values[code]
            texts[code] = "" if is_null(value) else plain_text(text(value))
        return texts


def text_relation(
    table: CodedTable, sample: CodedTable, texts: Texts, kept: str, target: str
) -> Relation | None:
    """The best form of containment, in either direction; None if neither column is a text."""
    if not _is_text(table.columns[kept], table.columns[target]):
        return None
    best: Relation | None = None
    tried = sample.first(TRIED)
    glanced = tried.first(GLANCED)
    for shorter, longer in ((kept, target), (target, kept)):
        for form in _possible_forms(glanced, tried, texts, shorter, longer):
            relation = _relation(table, sample, texts, kept, target, shorter, form)
            if relation is not None and (best is None or relation.above_chance > best.above_chance):
                best = relation
    return best


def _is_text(*columns: CodedColumn) -> bool:
    """Numbers and dates are compared as such; a text is compared with everything.

    In a CSV file numbers are texts. One measurement has the digits of another by chance.
    """
    if all(column.numbers is not None for column in columns) and any(
        column.is_continuous for column in columns
    ):
        return False
    return any(column.scale is None or isinstance(column.values[0], str) for column in columns)


def _possible_forms(
    glanced: CodedTable, tried: CodedTable, texts: Texts, shorter: str, longer: str
) -> Iterator[Form]:
    """The forms that two samples, a very small one first, do not rule out."""
    for form in FORMS:
        least = NEARLY - 2 * SLACK, NEARLY - SLACK
        if all(
            _share(form, sample, texts, shorter, longer) >= enough
            for sample, enough in zip((glanced, tried), least, strict=True)
        ):
            yield form


def _share(form: Form, sample: CodedTable, texts: Texts, shorter: str, longer: str) -> float:
    inner, outer = texts.of(sample.columns[shorter]), texts.of(sample.columns[longer])
    known = (inner != "") & (outer != "")
    return float(_fits(form, inner[known], outer[known]).mean()) if known.any() else 0.0


def _relation(
    table: CodedTable,
    sample: CodedTable,
    texts: Texts,
    kept: str,
    target: str,
    shorter: str,
    form: Form,
) -> Relation | None:
    longer = target if shorter == kept else kept
    chance = _by_chance(sample.first(TRIED), texts, shorter, longer, form)
    inner, outer = table.columns[shorter], table.columns[longer]
    known, holds = _fitting_tuples(inner, outer, texts, form)
    of_value = np.unique(texts.of_values(inner).astype(str), return_inverse=True)[1].reshape(-1)
    of_tuple = of_value[inner.codes].astype(np.int64)
    rows = np.bincount(of_tuple, weights=table.counts).astype(np.int64)
    return measured_relation(
        table, Kind.TEXT, (kept,), target, known, holds, rows[of_tuple], of_tuple,
        FORM_LENGTH, chance,
    )  # fmt: skip


def _fitting_tuples(
    inner: CodedColumn, outer: CodedColumn, texts: Texts, form: Form
) -> tuple[Flags, Flags]:
    """(tuples,) where neither text is empty, and where they fit; each pair is tried once."""
    pair = inner.codes.astype(np.int64) * outer.width + outer.codes
    _, first, of_tuple = np.unique(pair, return_index=True, return_inverse=True)
    shorter = texts.of_values(inner)[inner.codes[first]]
    longer = texts.of_values(outer)[outer.codes[first]]
    known = (shorter != "") & (longer != "")
    fits = np.zeros(len(first), dtype=np.bool_)
    fits[known] = _fits(form, shorter[known], longer[known])
    return known[of_tuple.reshape(-1)], fits[of_tuple.reshape(-1)]


def _by_chance(sample: CodedTable, texts: Texts, shorter: str, longer: str, form: Form) -> float:
    """The share of random pairs that fit, and at least a bound on what this many can show."""
    inner, outer = texts.of(sample.columns[shorter]), texts.of(sample.columns[longer])
    random = np.random.default_rng(0)
    fits = [
        _fits(form, random.permutation(inner[inner != ""])[:n], outer[outer != ""][:n])
        for n in [min((inner != "").sum(), (outer != "").sum())]
        for _ in range(SHUFFLES)
    ]
    return float(np.concatenate(fits).mean())


def _fits(form: Form, shorter: Cells, longer: Cells) -> Flags:
    pairs = zip(shorter, longer, strict=True)
    return np.fromiter((form(a, b) for a, b in pairs), dtype=np.bool_, count=len(shorter))
