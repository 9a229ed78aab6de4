"""Is the release the original, recoded as claimed, and nothing else?

The original is recoded once more, here, by labels alone; its classes are counted, the broken ones
taken out; and what is left must be the release, row for row as a multiset. A changed cell, a row
too many or too few, a row that should have been suppressed: all show as a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.counts.level_table import TOP
from lookalike.policy.policy import Policy
from lookalike.solution.recoding import Recoding
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table, TextRows
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding
from lookalike.verifier.pseudonyms.keyed_values import Names
from lookalike.verifier.requirements.recount import count_classes
from lookalike.verifier.requirements.suppressed_classes import gone_by_rules
from lookalike.verifier.rows.class_intervals import with_intervals
from lookalike.verifier.rows.expected_cells import recoded_by_cell
from lookalike.verifier.rows.recoding_labels import ColumnLabels, labels_of
from lookalike.verifier.rows.text_replacement import replaced, with_pseudonyms
from lookalike.verifier.supplied_definitions import supplied_note

COUNTED = 2_000_000  # rows up to which it is told how many are wrong
MANY = -1  # nobody counted


def same_rows(
    original: Table,
    released: Table,
    solution: Solution,
    counted: CountedOriginal,
    called: Names,
) -> list[Finding]:
    """The released multiset against the one that recoding the original must give.

    ``called`` are the pseudonyms of the columns that have some.
    """
    policy = counted.policy
    expected_columns = released_columns(original.columns, policy)
    if tuple(released.columns) != expected_columns:
        return [_wrong_columns(released.columns, expected_columns, policy)]
    assert solution.recoding is not None
    labels = labels_of(counted, solution.recoding)
    found = [
        Finding(
            "columns",
            True,
            f"The release has the columns {', '.join(expected_columns)}, and no identifier.",
        )
    ]
    by_column = labels.by_column()
    if by_column is None or labels.class_intervals:
        if by_column is None:
            expected, suppressed = recoded_by_cell(
                original, expected_columns, labels.recoding, counted, called
            )
        else:
            expected, suppressed = _by_row(original, counted, by_column, labels.levels, called)
        seen = released.distinct_text(expected_columns)
        differs = _difference(expected, seen, len(expected_columns))
    else:
        recoded, suppressed = _on_engine(original, policy, by_column, labels.levels, called)
        differs = _differ(recoded, released)
    missing, extra = differs
    holds = not missing and not extra
    how_many = f"{missing:,} rows that should be in the release are not, and {extra:,} rows are "
    if missing == MANY:
        how_many = "There are rows that should be in the release and are not, or rows are "
    found.append(
        Finding(
            "truthful",
            holds,
            "Every released row is a row of the original, recoded as stated."
            if holds
            else f"{how_many}in it that should not be.",
        )
    )
    total = original.rows()
    kept = released.rows()
    shown_suppressed = suppressed if policy.conventions.suppressed == "drop" else 0
    holds = kept + shown_suppressed == total and suppressed == solution.suppressed
    holds = holds and total == solution.rows
    found.append(
        Finding(
            "rows",
            holds,
            f"{kept:,} released rows and {shown_suppressed:,} left out make {total:,}."
            if holds
            else f"{kept:,} released rows and {shown_suppressed:,} left out do not make the "
            f"{total:,} of the original, or not as claimed.",
        )
    )
    allowed = policy.allowance(total)
    found.append(
        Finding(
            "suppressed",
            suppressed <= allowed,
            f"{suppressed:,} rows are suppressed; the policy allows {allowed:,}.",
        )
    )
    return found


def released_columns(original: Sequence[str], policy: Policy) -> tuple[str, ...]:
    """The columns of a release: the original's, in their order, without the identifiers."""
    dropped = set(policy.identifiers)
    return tuple(name for name in original if name not in dropped)


def true_labels(original: CountedOriginal, recoding: Recoding) -> Finding:
    """Every label is true of the values that it stands for."""
    wrong = labels_of(original, recoding).false_labels()
    note = supplied_note(original.policy.hierarchies.values())
    return Finding(
        "labels",
        wrong == 0,
        "Every label is true of the values it stands for." + note
        if not wrong
        else f"{wrong:,} values have a label that is not true of them.",
    )


def _wrong_columns(found: Sequence[str], expected: Sequence[str], policy: Policy) -> Finding:
    leaked = [name for name in found if name in policy.identifiers]
    if leaked:
        return Finding("columns", False, f"The release shows the identifier {', '.join(leaked)}.")
    lacking = [name for name in expected if name not in found]
    unknown = [name for name in found if name not in expected]
    return Finding(
        "columns",
        False,
        f"The release lacks {', '.join(lacking) or 'nothing'}, has "
        f"{', '.join(unknown) or 'nothing'} beyond what was "
        "asked, or has its columns in another order.",
    )


def _on_engine(
    original: Table,
    policy: Policy,
    labels: ColumnLabels,
    levels: Sequence[int],
    called: Names,
) -> tuple[TextRows, int]:
    """The rows that the release must hold, as text, where they are; and the rows suppressed."""
    columns = released_columns(original.columns, policy)
    said = {
        name: {shown: of_leaf[leaf] for shown, leaf in original.text_codes(name).items()}
        for name, of_leaf in zip(policy.names, labels, strict=True)
        if of_leaf is not None
    }
    relabelled = original.with_labels(columns, {**said, **called})
    rows = classes = relabelled.distinct_text([*policy.names, *policy.required_columns])
    at = {name: f"c{i}" for i, name in enumerate(policy.names)}
    if not policy.by_size:
        places = list(at.values())
        classes = count_classes(rows, places)
        judged = [f"c{len(places) + i}" for i in range(len(policy.required_columns))]
        flags = gone_by_rules(rows, classes, places, judged, policy, levels)
    elif policy.sets == (policy.names,):  # its classes are these
        flags = pc.less(classes.column("count"), policy.smallest)
    else:
        flags = _standing_out(classes, [[at[name] for name in one] for one in policy.sets], policy)
    broken = classes.filter(flags)
    suppressed = int(pc.sum(broken.column("count")).as_py() or 0)
    recoded: TextRows = relabelled
    if suppressed:
        gone = broken.drop_columns(["count"]).rename_columns([f"g{i}" for i in range(len(at))])
        star = policy.conventions.suppressed == "star"
        recoded = relabelled.suppress_rows(policy.names, gone, star=star)
    return recoded, suppressed


def _by_row(
    original: Table,
    counted: CountedOriginal,
    labels: ColumnLabels,
    levels: Sequence[int],
    called: Names,
) -> tuple[Any, int]:
    """The distinct rows that the release must hold, with counts; and the rows suppressed."""
    policy = counted.policy
    columns = released_columns(original.columns, policy)
    rows = unrecoded = with_pseudonyms(original.distinct_text(columns), columns, called)
    places = [f"c{columns.index(name)}" for name in policy.names]
    for name, place, of_leaf in zip(policy.names, places, labels, strict=True):
        if of_leaf is not None:
            texts = original.text_codes(name).items()
            rows = replaced(rows, place, {shown: of_leaf[leaf] for shown, leaf in texts})
    if policy.by_size:
        flags = _standing_out(rows, [places], policy)
    else:
        classes = count_classes(rows, places)
        judged = [f"c{columns.index(name)}" for name in policy.required_columns]
        gone = gone_by_rules(rows, classes, places, judged, policy, levels)
        flags = _flag(rows, classes.filter(gone), places)
    suppressed = int(pc.sum(rows.filter(flags).column("count")).as_py() or 0)
    rows = with_intervals(rows, unrecoded, original, counted)
    kept, starred = rows.filter(pc.invert(flags)), rows.filter(flags)
    if policy.conventions.suppressed == "drop":
        return kept, suppressed
    for place in places:
        stars = pa.array([TOP] * starred.num_rows, pa.string())
        starred = starred.set_column(starred.schema.get_field_index(place), place, stars)
    return pa.concat_tables([kept, starred]), suppressed


def _differ(expected: TextRows, released: Table) -> tuple[int, int]:
    """As ``_difference``; of very many rows only whether they differ."""
    if expected.fingerprint() == released.fingerprint():
        return 0, 0
    columns = released.columns
    if max(expected.rows(), released.rows()) > COUNTED:
        return MANY, MANY
    return _difference(
        expected.distinct_text(columns), released.distinct_text(columns), len(columns)
    )


def _standing_out(rows: Any, sets: Sequence[Sequence[str]], policy: Policy) -> Any:
    """Which rows may not be released: those alone over some set, and whom that leaves alone."""
    gone = pa.array(np.zeros(rows.num_rows, dtype=bool))
    before = -1
    while (so_far := pc.sum(gone).as_py() or 0) != before:
        before = so_far
        for places in sets:
            classes = count_classes(rows.filter(pc.invert(gone)), places)
            broken = classes.filter(pc.less(classes.column("count"), policy.smallest))
            if broken.num_rows:
                gone = pc.or_(gone, _flag(rows, broken, places))
        if len(sets) == 1:
            break
    return gone


def _flag(rows: Any, broken: Any, places: Sequence[str]) -> Any:
    """Which rows lie in a broken class. Arrow joins lose null keys, so nulls are spelt out."""
    bad = set(zip(*(broken.column(place).to_pylist() for place in places), strict=True))
    tuples = zip(*(rows.column(place).to_pylist() for place in places), strict=True)
    return pa.array(np.fromiter((one in bad for one in tuples), dtype=bool, count=rows.num_rows))


def _difference(expected: Any, seen: Any, columns: int) -> tuple[int, int]:
    """Rows expected but not seen, and seen but not expected."""
    names = [f"c{i}" for i in range(columns)]
    minus = seen.set_column(columns, "count", pc.negate(seen.column("count")))
    both = pa.concat_tables([expected.cast(minus.schema), minus])
    left = count_classes(both, names).column("count").to_numpy()
    return int(left[left > 0].sum()), int(-left[left < 0].sum())
