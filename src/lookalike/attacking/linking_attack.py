"""The linking attack, run: a release and a list of people, joined over what both know.

The attacker of the survey's introduction has a voter list, and looks up each of its people in the
release (Saroha 2014; Sweeney 2002). A generalized cell fits every value that it covers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lookalike.attacking.joint_releases import Together, together
from lookalike.attacking.parameters import Pairs, check, paired
from lookalike.attacking.record_linkage import Link, Linked, meet
from lookalike.attacking.row_order import RowOrder, row_order
from lookalike.attacking.singled_out_people import SingledOut, singled_out
from lookalike.counts.frequency_set import FrequencySet
from lookalike.errors import Fault, PolicyError
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.policy import Policy
from lookalike.tables.open import open_table
from lookalike.tables.table import Table


@dataclass(frozen=True, slots=True)
class LinkingAttack:
    """What an outsider finds: counts, and people by name only if they were asked for."""

    outsiders: str
    on: Pairs
    after: Linked  # the release
    before: Linked | None = None  # the same on the table before it was anonymized
    order: tuple[RowOrder, ...] = ()
    together: Together | None = None  # with another release beside it
    both_have: tuple[str, ...] = ()  # columns of both that are neither known nor sensitive
    singled_out: tuple[SingledOut, ...] = field(default=(), repr=False)  # hold cell values

    @property
    def certainty(self) -> float:
        """The best that the attacker can do with the release, and with the other one beside it."""
        alone = self.after.certainty
        return max(alone, self.together.certainty) if self.together else alone


def attack(
    release: Any,
    outsiders: Any,
    on: Sequence[str] | Mapping[str, str],
    *,
    policy: Policy | None = None,
    sensitive: Sequence[str] | None = None,
    before: Any = None,
    also: Any = None,
    name: str | None = None,
    show: int = 0,
) -> LinkingAttack:
    """Look up the people of ``outsiders`` in a release, by the columns ``on`` that both have.

    ``on`` is a list, or a dict from the release's names to the outsiders'. The ``policy`` tells
    what the names of groups cover; other labels say it by their text. ``sensitive`` are the columns
    of interest, all others of the release if not said. ``before`` is the table that the release
    was made of, to set beside it; ``also`` another release about the same people. ``show`` lists
    so many of the people that are singled out, by the column ``name``: it shows cell values.
    """
    opened, people = open_table(release), open_table(outsiders)
    raw = None if before is None else open_table(before)
    other = None if also is None else open_table(also)
    if policy is not None and not isinstance(policy, Policy):
        raise PolicyError(Fault("policy", "this is no policy", "give a la.Policy"))
    pairs = paired(on)
    known = [ours for ours, _ in pairs]
    asked = _sensitive(opened, known) if sensitive is None else tuple(dict.fromkeys(sensitive))
    check(opened, people, pairs, asked, raw, other, name)
    hierarchies = {} if policy is None else policy.hierarchies
    theirs = [one for _, one in pairs]
    counted = people.count_groups(theirs)
    link = _link(opened, counted, known, asked, hierarchies)
    order = [row_order(opened, people, pairs, link)]
    linked_before = None
    if raw is not None:
        there = [one for one in asked if one in raw.columns]
        linked_before = _link(raw, counted, known, there, hierarchies).linked()
        same = tuple((one, one) for one in known)
        against = _link(opened, raw.count_groups(known), known, (), hierarchies)
        order.append(row_order(opened, raw, same, against))
    return LinkingAttack(
        outsiders=people.name,
        on=pairs,
        after=link.linked(),
        before=linked_before,
        order=tuple(one for one in order if one is not None),
        together=None if other is None else _beside(link, opened, other, asked, policy),
        both_have=_unused(opened, people, {*known, *theirs, *(sensitive or ())}),
        singled_out=singled_out(link, people, tuple(theirs), name, show) if show else (),
    )


def _sensitive(release: Table, known: Sequence[str]) -> tuple[str, ...]:
    return tuple(column for column in release.columns if column not in known)


def _unused(release: Table, outsiders: Table, used: set[str]) -> tuple[str, ...]:
    """Columns of the same name in both that nobody has spoken of."""
    return tuple(one for one in release.columns if one in outsiders.columns and one not in used)


def _link(
    release: Table,
    outsiders: FrequencySet,
    known: Sequence[str],
    sensitive: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
) -> Link:
    counted = release.count_groups(known, sensitive)
    return Link(release.name, meet(counted, outsiders, hierarchies), sensitive)


def _beside(
    link: Link, release: Table, other: Table, sensitive: Sequence[str], policy: Policy | None
) -> Together:
    """The same people against another release; rows are matched by columns both keep as they are.

    Quasi-identifiers of the policy may be recoded differently in the two, so they match nothing.
    """
    hierarchies = {} if policy is None else policy.hierarchies
    known = link.meeting.release.names
    there = [at for at, one in enumerate(known) if one in other.columns]
    names = [known[at] for at in there]
    shared = [one for one in sensitive if one in other.columns]
    kept = [one for one in shared if policy is None or one not in policy.names]
    theirs = _link(other, _over(link.meeting.outsiders, there), names, shared, hierarchies)
    fine = None
    if kept:
        fine = release.count_groups([*known, *kept]), other.count_groups([*names, *kept])
    return together(other.name, (link, theirs), shared, kept, fine)


def _over(outsiders: FrequencySet, columns: Sequence[int]) -> FrequencySet:
    """The same tuples, some columns of them: people that differ elsewhere stay apart."""
    return FrequencySet(
        tuple(outsiders.names[at] for at in columns),
        tuple(outsiders.values[at] for at in columns),
        outsiders.codes[:, list(columns)],
        outsiders.counts,
    )
