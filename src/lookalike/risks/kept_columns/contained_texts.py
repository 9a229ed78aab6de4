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
from lookalike.risks.kept_columns.relation import NEARLY, Relation, measured_relation

TRIED = 300  # tuples of a sample that rule out most columns
GLANCED = 50  # of these, that rule out most of the others
SHUFFLES = 5
SLACK = 0.1  # by which a sample may be worse than the table
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
    """The plain texts of columns, made once for each column and only if needed."""

    def __init__(self, table: CodedTable) -> None:
        self.table = table
        self._texts: dict[str, Cells] = {}

    def of(self, name: str) -> Cells:
        """(values,) the plain text of each value, empty for null."""
        if name not in self._texts:
            values = self.table.columns[name].values
            cells = ["" if is_null(value) else plain_text(text(value)) for value in values]
            self._texts[name] = np.array(cells, dtype=object)
        return self._texts[name]


def text_relation(
    table: CodedTable, sample: CodedTable, texts: Texts, kept: str, target: str
) -> Relation | None:
    """The best form of containment, in either direction; None if neither column is a text."""
    if not _is_text(table.columns[kept], table.columns[target]):
        return None
    best: Relation | None = None
    tried = sample.first(TRIED)
    for shorter, longer in ((kept, target), (target, kept)):
        for form in _possible_forms(tried, texts, shorter, longer):
            relation = _relation(table, sample, texts, kept, target, shorter, form)
            if relation is not None and (best is None or relation.above_chance > best.above_chance):
                best = relation
    return best


def _is_text(*columns: CodedColumn) -> bool:
    """Numbers and dates are compared as such; a text is compared with everything."""
    return any(column.scale is None for column in columns)


def _possible_forms(sample: CodedTable, texts: Texts, shorter: str, longer: str) -> Iterator[Form]:
    inner, outer = _cells(sample, texts, shorter), _cells(sample, texts, longer)
    known = (inner != "") & (outer != "")
    if not known.any():
        return
    inner, outer = inner[known], outer[known]
    step = -(-len(inner) // GLANCED)
    for form in FORMS:
        glance = _fits(form, inner[::step], outer[::step])
        if (
            glance.mean() >= NEARLY - 2 * SLACK
            and _fits(form, inner, outer).mean() >= NEARLY - SLACK
        ):
            yield form


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
    inner, outer = _cells(table, texts, shorter), _cells(table, texts, longer)
    known = (inner != "") & (outer != "")
    holds = np.zeros(len(known), dtype=np.bool_)
    holds[known] = _fits(form, inner[known], outer[known])
    distinct, classes = np.unique(texts.of(shorter).astype(str), return_inverse=True)
    of_tuple = classes.reshape(-1)[table.columns[shorter].codes].astype(np.int64)
    rows = np.bincount(of_tuple, weights=table.counts, minlength=len(distinct)).astype(np.int64)
    return measured_relation(
        table, Kind.TEXT, (kept,), target, known, holds, rows[of_tuple], of_tuple,
        FORM_LENGTH, chance,
    )  # fmt: skip


def _by_chance(sample: CodedTable, texts: Texts, shorter: str, longer: str, form: Form) -> float:
    """The share of random pairs that fit, and at least a bound on what this many can show."""
    inner, outer = _cells(sample, texts, shorter), _cells(sample, texts, longer)
    random = np.random.default_rng(0)
    fits = [
        _fits(form, random.permutation(inner[inner != ""])[:n], outer[outer != ""][:n])
        for n in [min((inner != "").sum(), (outer != "").sum())]
        for _ in range(SHUFFLES)
    ]
    return float(np.concatenate(fits).mean())


def _cells(table: CodedTable, texts: Texts, name: str) -> Cells:
    cells: Cells = texts.of(name)[table.columns[name].codes]
    return cells


def _fits(form: Form, shorter: Cells, longer: Cells) -> Flags:
    pairs = zip(shorter, longer, strict=True)
    return np.fromiter((form(a, b) for a, b in pairs), dtype=np.bool_, count=len(shorter))
