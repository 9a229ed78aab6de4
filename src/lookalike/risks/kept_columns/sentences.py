"""One plain sentence for each risk of kept columns: columns and counts, never cell values."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lookalike.risks.kept_columns.dependencies import Together
from lookalike.risks.kept_columns.findings import Kind, SinglingOut
from lookalike.risks.kept_columns.relation import Relation
from lookalike.risks.kept_columns.singling_out import MAX_SET_COLUMNS

PRODUCT = "one is a product or a ratio of the others, or of their powers"
RELATIONS = {
    Kind.FUNCTION: "one determines the other",
    Kind.AFFINE: "one is a multiple of the other plus a constant",
    Kind.LOGARITHM: "one is the logarithm of the other",
    Kind.POWER: "one is a power of the other, such as a square or a root",
    Kind.MONOTONE: "one rises or falls with the other, in steps or without exception",
    Kind.LINEAR: "one is a sum of multiples of the others",
    Kind.DATE_AND_AGE: "one is an age, the other a birth, and the data show the reference date",
    Kind.DATE_PART: "one is a part of the other, which is a date",
    Kind.TEXT: "the text of one is inside the text of the other",
}


def dependency_sentence(
    relation: Relation,
    dropped: Collection[str],
    rows_below: int,
    rows_below_with_others: int,
    rows: int,
    k: int,
) -> str:
    """What the kept columns restore, how, how often, and how many rows are at risk."""
    kept, target = listed(relation.kept), relation.target
    fate = "dropped" if target in dropped else "generalized"
    verb = "restores" if len(relation.kept) == 1 else "together restore"
    holds = "" if relation.share == 1 else f" for {percent(relation.share)} of the rows"
    how = RELATIONS[relation.kind]
    if relation.kind is Kind.POWER and len(relation.kept) > 1:
        how = PRODUCT
    return f"{kept} (kept) {verb} {target} ({fate}): {how}{holds}. " + (
        _at_risk(rows_below, rows, k, f"a person who knows {target}")
        if rows_below or not rows_below_with_others
        else _at_risk_with_others(rows_below_with_others, rows, k)
    )


def together_sentence(together: Together, rows: int, k: int) -> str:
    """The rows at risk if all relations are used at once."""
    kept, targets = listed(together.kept), listed(together.targets)
    return f"{kept} (kept) restore {targets} together. " + _at_risk(
        together.rows, rows, k, f"a person who knows {targets}"
    )


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: a, b and c."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def percent(share: float) -> str:
    """A share below 1, which is never shown as 100%."""
    return f"{min(99.9, 100 * share):.1f}%"


def of_rows(number: int, rows: int) -> str:
    """165 of 517 rows."""
    return f"{number:,} of {rows:,} rows"


def _at_risk(below: int, rows: int, k: int, who: str) -> str:
    if not below:
        return f"This alone leaves no row with fewer than {k - 1} lookalikes."
    return f"For {of_rows(below, rows)}, {who} finds fewer than {k} rows that fit."


def _at_risk_with_others(below: int, rows: int, k: int) -> str:
    return (
        f"For up to {of_rows(below, rows)}, a person who also knows the other quasi-identifiers "
        f"finds fewer than {k} rows that fit, if the release shows these in full detail."
    )


def singling_out_sentence(singled: SinglingOut, rows: int) -> str:
    """How many rows are unique over some kept columns."""
    number, verb = of_rows(singled.rows, rows), "is" if singled.rows == 1 else "are"
    about = "" if singled.exact else "About "
    where = f"all {len(singled.columns)} kept columns together"
    if len(singled.columns) <= MAX_SET_COLUMNS:
        where = f"what is kept in {listed(singled.columns)}"
    return f"{about}{number} {verb} unique over {where}."


def not_examined_sentence(column: str) -> str:
    """A kept column that an engine holds and nobody can count."""
    return (
        f"{column} (kept) cannot be examined: it has dates, times or numbers that cannot be "
        "counted, such as infinity."
    )


def identifier_sentence(column: str, what: str, why: str, held: int, rows: int) -> str:
    """What a kept column seems to hold, and why it seems so."""
    return f"{column} (kept) looks like {what}, in {of_rows(held, rows)}: {why}."
