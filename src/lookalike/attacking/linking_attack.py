"""The linking attack: join a release and a list of people over the columns that both have.

The attacker has, for example, a voter list, and looks up each of its people in the release (Saroha
2014; Sweeney 2002). A generalized cell fits every value that it covers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lookalike.attacking.joint_releases import JointFindings, together
from lookalike.attacking.parameters import Pairs, check, paired
from lookalike.attacking.record_linkage import Linkage, LinkageResult, match_tables
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
    """What an outsider finds by linking a release with a list of people; ``la.attack`` makes it.

    Attributes
    ----------
    outsiders : str
        The name of the outsider's table.
    on : tuple of pairs of str
        The columns that the outsider knows: in the release, and in the outsider's table.
    after : LinkageResult
        What the attack finds in the release.
    before : LinkageResult or None
        What it finds in the original table, if that was given.
    order : tuple of RowOrder
        Whether the order of the rows reveals who is who.
    together : JointFindings or None
        What another release reveals in addition, if that was given.
    both_have : tuple of str
        Columns of both tables that are neither known nor sensitive.
    singled_out : tuple of SingledOut
        The people that were found, if requested; they hold cell values.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> release = pa.table({"age": ["30-39", "30-39", "50-59"], "diagnosis": ["flu", "HIV", "flu"]})
    >>> voters = pa.table({"name": ["Ann", "Bob"], "age": [34, 52]})
    >>> attack = la.attack(release, voters, ["age"])
    >>> attack.after.one_row  # one row fits Bob
    1
    """

    outsiders: str
    on: Pairs
    after: LinkageResult
    before: LinkageResult | None = None
    order: tuple[RowOrder, ...] = ()
    together: JointFindings | None = None
    both_have: tuple[str, ...] = ()
    singled_out: tuple[SingledOut, ...] = field(default=(), repr=False)

    @property
    def certainty(self) -> float:
        """The best chance of the attacker, with the release and with the other release."""
        alone = self.after.certainty
        return max(alone, self.together.certainty) if self.together else alone


def link(
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
    """Look up the people of a list in a release; ``la.attack`` says what the parameters are."""
    opened, people = open_table(release), open_table(outsiders)
    raw = None if before is None else open_table(before)
    other = None if also is None else open_table(also)
    if policy is not None and not isinstance(policy, Policy):
        raise PolicyError(Fault("policy", "not a policy", "give a la.Policy"))
    pairs = paired(on)
    known = [ours for ours, _ in pairs]
    others = [column for column in opened.columns if column not in known]
    asked = tuple(dict.fromkeys(others if sensitive is None else sensitive))
    check(opened, people, pairs, asked, raw, other, name)
    hierarchies = {} if policy is None else policy.hierarchies
    theirs = [column for _, column in pairs]
    counted = people.count_groups(theirs)
    link = _link(opened, counted, known, asked, hierarchies)
    order = [row_order(opened, people, pairs, link)]
    linked_before = None
    if raw is not None:
        there = [column for column in asked if column in raw.columns]
        linked_before = _link(raw, counted, known, there, hierarchies).result()
        same = tuple((column, column) for column in known)
        against = _link(opened, raw.count_groups(known), known, (), hierarchies)
        order.append(row_order(opened, raw, same, against))
    return LinkingAttack(
        outsiders=people.name,
        on=pairs,
        after=link.result(),
        before=linked_before,
        order=tuple(filter(None, order)),
        together=None if other is None else _against_both(link, opened, other, asked, policy),
        both_have=_unused(opened, people, {*known, *theirs, *(sensitive or ())}),
        singled_out=singled_out(link, people, tuple(theirs), name, show) if show else (),
    )


def _unused(release: Table, outsiders: Table, used: set[str]) -> tuple[str, ...]:
    """Columns of the same name in both tables that are neither known nor sensitive."""
    return tuple(name for name in release.columns if name in outsiders.columns and name not in used)


def _link(
    release: Table,
    outsiders: FrequencySet,
    known: Sequence[str],
    sensitive: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
) -> Linkage:
    counted = release.count_groups(known, sensitive)
    return Linkage(release.name, match_tables(counted, outsiders, hierarchies), sensitive)


def _against_both(
    link: Linkage, release: Table, other: Table, sensitive: Sequence[str], policy: Policy | None
) -> JointFindings:
    """The same people against another release; rows are matched by columns kept unchanged.

    Quasi-identifiers of the policy may be recoded differently in both, so they match nothing.
    """
    hierarchies = {} if policy is None else policy.hierarchies
    known = link.meeting.release.names
    there = [at for at, column in enumerate(known) if column in other.columns]
    names = [known[at] for at in there]
    shared = [column for column in sensitive if column in other.columns]
    kept = [column for column in shared if policy is None or column not in policy.names]
    theirs = _link(other, _over(link.meeting.outsiders, there), names, shared, hierarchies)
    fine = None
    if kept:
        fine = release.count_groups([*known, *kept]), other.count_groups([*names, *kept])
    return together(other.name, (link, theirs), shared, kept, fine)


def _over(outsiders: FrequencySet, columns: Sequence[int]) -> FrequencySet:
    """The same tuples, with some of the columns; people who differ elsewhere stay separate."""
    return FrequencySet(
        tuple(outsiders.names[at] for at in columns),
        tuple(outsiders.values[at] for at in columns),
        outsiders.codes[:, list(columns)],
        outsiders.counts,
    )
