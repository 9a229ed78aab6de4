"""Check that the release is the original, recoded as claimed, and nothing else.

The original is recoded again here, by labels alone; its classes are counted and the broken ones
suppressed. The result must equal the release as a multiset of rows. A changed cell, a row too many
or too few, or a row that should have been suppressed shows as a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.counts.level_table import TOP
from lookalike.policy.policy import Policy
from lookalike.solution.recoding import Recoding
from lookalike.solution.solution import Solution
from lookalike.tables.fingerprint import new_key
from lookalike.tables.table import Table, TextRows
from lookalike.verifier.claim.group_classes import in_small_classes
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.recount import count_classes
from lookalike.verifier.rows.recoding_labels import TextLabels, labels_of
from lookalike.verifier.rows.text_codes import classes_of
from lookalike.verifier.supplied_definitions import supplied_note

if TYPE_CHECKING:
    from lookalike.verifier.pseudonyms.keyed_values import Pseudonyms

MAX_COMPARED_ROWS = 2_000_000  # of larger tables it is not said how many rows differ
NOT_COUNTED = -1  # in place of a number of rows


def same_rows(
    original: Table,
    released: Table,
    counted: CountedOriginal,
    solution: Solution,
    pseudonyms: Pseudonyms,
) -> list[Finding]:
    """The released rows against those that recoding the original must give."""
    policy = counted.policy
    columns = released_columns(original.columns, policy)
    if tuple(released.columns) != columns:
        return [_wrong_columns(released.columns, columns, policy)]
    assert solution.recoding is not None
    levels = solution.recoding.node or ()
    labels = labels_of(counted, solution.recoding)
    by_column = labels.by_text(original)
    by_interval = levels and policy.interval_columns  # intervals between cuts have labels
    if by_column is not None and not by_interval:
        recoded, suppressed = _on_engine(original, counted, by_column, levels, pseudonyms)
        missing, extra = _differ(recoded, released)
    else:
        if by_column is None:
            from lookalike.verifier.rows.expected_cells import recoded_by_cell

            expected, suppressed = recoded_by_cell(
                original, columns, counted, labels.recoding, pseudonyms
            )
        else:
            expected, suppressed = _by_row(original, counted, by_column, levels, pseudonyms)
        missing, extra = _difference(expected, released.distinct_text(columns), len(columns))
    if missing == NOT_COUNTED:
        truthful = "Rows are missing from the release, or it has rows that should not be in it."
    elif missing or extra:
        truthful = (
            f"{missing:,} rows are missing from the release, and {extra:,} rows are in it that "
            "should not be."
        )
    else:
        truthful = "Every released row is a row of the original, recoded as stated."
    total, kept = original.rows(), released.rows()
    dropped = suppressed if policy.conventions.suppressed == "drop" else 0
    adds_up = kept + dropped == total == solution.rows and suppressed == solution.suppressed
    rows = f"{kept:,} released rows and {dropped:,} suppressed rows"
    if adds_up:
        rows += f" add up to the {total:,} rows of the original."
    else:
        rows += f" do not add up to the {total:,} rows of the original, or not as claimed."
    allowed = policy.allowance(total)
    return [
        Finding(
            "columns",
            True,
            f"The release has the columns {', '.join(columns)}; no column declared an "
            "identifier is in it.",
        ),
        Finding("truthful", not missing and not extra, truthful),
        Finding("rows", adds_up, rows),
        Finding(
            "suppressed",
            suppressed <= allowed,
            f"{suppressed:,} rows are suppressed; the policy allows {allowed:,}.",
        ),
    ]


def released_columns(original: Sequence[str], policy: Policy) -> tuple[str, ...]:
    """The columns of a release: the original's, in their order, without the identifiers."""
    return tuple(name for name in original if name not in policy.identifiers)


def true_labels(original: CountedOriginal, recoding: Recoding) -> Finding:
    """Every label is true of the values that it stands for."""
    if wrong := labels_of(original, recoding).false_labels():
        sentence = f"{wrong:,} values have a label that is not true of them."
        return Finding("labels", False, sentence)
    note = supplied_note(original.policy.hierarchies.values())
    return Finding("labels", True, f"Every label is true of the values it stands for.{note}")


def _wrong_columns(columns: Sequence[str], expected: Sequence[str], policy: Policy) -> Finding:
    leaked = [name for name in columns if name in policy.identifiers]
    if leaked:
        return Finding("columns", False, f"The release shows the identifier {', '.join(leaked)}.")
    missing = [name for name in expected if name not in columns]
    unknown = [name for name in columns if name not in expected]
    sentence = (
        f"The release lacks the columns {', '.join(missing) or 'none'}, has the unexpected columns "
        f"{', '.join(unknown) or 'none'}, or has its columns in another order."
    )
    return Finding("columns", False, sentence)


def _on_engine(
    original: Table,
    counted: CountedOriginal,
    labels: TextLabels,
    levels: Sequence[int],
    pseudonyms: Pseudonyms,
) -> tuple[TextRows, int]:
    """The rows that the release must have, as text on the engine; and the suppressed rows."""
    policy = counted.policy
    columns = released_columns(original.columns, policy)
    recoded = original.with_labels(columns, {**labels, **pseudonyms})
    shown = [*policy.names, *policy.required_columns]
    rows, place = recoded.distinct_text(shown), {name: f"c{i}" for i, name in enumerate(shown)}
    if not policy.by_size:
        from lookalike.verifier.requirements.suppressed_classes import suppressed_classes

        broken = suppressed_classes(rows, place, policy, levels)
    elif counted.one_set:  # its classes are these
        broken = rows.filter(pc.less(rows.column("count"), policy.smallest))
    else:
        sets = [[place[name] for name in names] for names in policy.sets]
        broken = rows.filter(_rows_of_small_classes(rows, sets, policy.smallest))
    suppressed = int(pc.sum(broken.column("count")).as_py() or 0)
    if not suppressed:
        return recoded, 0
    names = [f"g{i}" for i in range(len(policy.names))]
    gone = broken.drop_columns(["count"]).rename_columns(names)
    star = policy.conventions.suppressed == "star"
    return recoded.suppress_rows(policy.names, gone, star=star), suppressed


def _by_row(
    original: Table,
    counted: CountedOriginal,
    labels: TextLabels,
    levels: Sequence[int],
    pseudonyms: Pseudonyms,
) -> tuple[Any, int]:
    """The distinct rows that the release must have, with counts; and the suppressed rows."""
    from lookalike.verifier.requirements.suppressed_classes import suppressed_classes
    from lookalike.verifier.rows.class_intervals import with_intervals
    from lookalike.verifier.rows.text_replacement import relabelled

    policy = counted.policy
    columns = released_columns(original.columns, policy)
    unrecoded = relabelled(original.distinct_text(columns), columns, pseudonyms)
    rows = relabelled(unrecoded, columns, labels)
    place_of = {name: f"c{i}" for i, name in enumerate(columns)}
    places = [place_of[name] for name in policy.names]
    if policy.by_size:
        flags = _rows_of_small_classes(rows, [places], policy.smallest)
    else:
        broken = suppressed_classes(rows, place_of, policy, levels)
        flags = _rows_of_classes(rows, broken, places)
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
    """As ``_difference``; of large tables only whether they differ."""
    key = new_key()  # drawn after both tables exist
    if expected.fingerprint(key) == released.fingerprint(key):
        return 0, 0
    columns = released.columns
    if max(expected.rows(), released.rows()) > MAX_COMPARED_ROWS:
        return NOT_COUNTED, NOT_COUNTED
    return _difference(
        expected.distinct_text(columns), released.distinct_text(columns), len(columns)
    )


def _rows_of_small_classes(rows: Any, sets: Sequence[Sequence[str]], smallest: int) -> Any:
    """Flags the rows of classes too small over some set, until suppressing them leaves none."""
    classes = [classes_of(rows, places) for places in sets]
    return pa.array(in_small_classes(classes, rows.column("count").to_numpy(), smallest))


def _rows_of_classes(rows: Any, classes: Any, places: Sequence[str]) -> Any:
    """Flags the rows of these classes. Not by a join of Arrow's, which loses null keys."""
    known = set(zip(*(classes.column(place).to_pylist() for place in places), strict=True))
    labels = zip(*(rows.column(place).to_pylist() for place in places), strict=True)
    return pa.array(np.fromiter((cells in known for cells in labels), bool, rows.num_rows))


def _difference(expected: Any, released: Any, columns: int) -> tuple[int, int]:
    """Rows that are expected and not released, and rows that are released and not expected."""
    names = [f"c{i}" for i in range(columns)]
    minus = released.set_column(columns, "count", pc.negate(released.column("count")))
    both = pa.concat_tables([expected.cast(minus.schema), minus])
    left = count_classes(both, names).column("count").to_numpy()
    return int(left[left > 0].sum()), int(-left[left < 0].sum())
