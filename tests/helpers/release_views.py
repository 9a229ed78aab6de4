"""Releases as an attacker sees them, made from tables of a few rows."""

from __future__ import annotations

import pyarrow as pa

import lookalike as la
from lookalike.attacking.release_view import ReleaseView, view_release
from lookalike.tables.open import open_table


def seen(release: pa.Table, policy: la.Policy, original: pa.Table, **known: object) -> ReleaseView:
    """A release, with the values and, if asked, the people of the original table."""
    domain = open_table(original).count_groups(policy.names)
    if known.pop("people", False):
        known["known_people"] = domain
    return view_release(open_table(release), policy, domain, **known)


def of_classes(rows, **policy: object) -> ReleaseView:
    """Rows (class, value) as a release with one quasi-identifier, kept as it is."""
    table = pa.table({"place": [label for label, _ in rows], "ill": [value for _, value in rows]})
    asked = {"require": la.KAnonymity(2), **policy}
    return seen(
        table, la.Policy(quasi_identifiers={"place": la.flat()}, sensitive=["ill"], **asked), table
    )
