"""Replace identifiers by pseudonyms, as an edit of the table before the recoding.

An edit works in the same way on every engine. It is done first, so that no later step, for example
the assignment of rows to pieces, can depend on the order of the original values. Distinct values
and their pseudonyms pass through Python's memory.
"""

from __future__ import annotations

import numpy as np

from lookalike.counts.level_table import Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.policy import Policy
from lookalike.pseudonyms.pseudonym_labels import Texts, pseudonyms_of, value_faults
from lookalike.pseudonyms.secret_key import Key, needed_key
from lookalike.tables.table import ColumnRecoding, Edit, Table


def check_pseudonyms(table: Table, policy: Policy) -> None:
    """PolicyError if some value cannot have a pseudonym. Call it before a search."""
    _values(table.eligible_rows(policy.eligible), policy)


def pseudonymized(table: Table, policy: Policy, key: Key | None) -> Table:
    """The columns to be released, with pseudonyms in place."""
    needed = needed_key(policy, key)
    assert needed is not None
    recodings: dict[str, ColumnRecoding] = {}
    for name, (values, texts) in _values(table, policy).items():
        labels = pseudonyms_of(name, policy.pseudonyms[name], texts, needed)
        recodings[name] = ColumnRecoding(values, np.arange(len(values), dtype=np.int32), labels)
    dropped = set(policy.identifiers)
    return table.edit(
        Edit(
            columns=tuple(name for name in table.columns if name not in dropped),
            recodings=recodings,
            suppressed=np.zeros((0, len(recodings)), dtype=np.int32),
            star=False,
            rows_kept=table.rows(),
            rows_suppressed=0,
        )
    )


def _values(table: Table, policy: Policy) -> dict[str, tuple[tuple[Value, ...], Texts]]:
    """By pseudonym column: the distinct values, and how each of them reads."""
    columns: dict[str, tuple[tuple[Value, ...], Texts]] = {}
    faults: list[Fault] = []
    for name, pseudonym in policy.pseudonyms.items():
        values = table.count_columns((name,)).values[0]
        texts: list[str | None] = [None] * len(values)
        for text, place in table.text_codes(name).items():
            texts[place] = text
        faults += value_faults(name, pseudonym, values, texts)
        columns[name] = values, texts
    if faults:
        raise PolicyError(faults)
    return columns
