"""Screen the whole table before release: what do the kept columns reveal?

Quasi-identifiers are generalized and identifiers are dropped, but sensitive and insensitive columns
go out unchanged. Three things can be wrong with them: they restore a column that was generalized or
dropped (``dependencies.py``), they are identifiers themselves (``kept_identifiers.py``), or a few
of them together single people out (``singling_out.py``). The first two refuse a release until the
policy accepts them; the third refuses it above a limit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from lookalike.errors import ValueRangeError
from lookalike.policy.policy import Policy
from lookalike.risks.kept_columns.coded_table import CodedTable
from lookalike.risks.kept_columns.dependencies import (
    all_together,
    find_relations,
    rows_below_with_others,
)
from lookalike.risks.kept_columns.findings import KeptColumnFinding, Kind, SinglingOut
from lookalike.risks.kept_columns.kept_identifiers import find_kept_identifiers
from lookalike.risks.kept_columns.sentences import (
    dependency_sentence,
    not_examined_sentence,
    singling_out_sentence,
    together_sentence,
)
from lookalike.risks.kept_columns.singling_out import single_out
from lookalike.tables.table import Table

MAX_WHOLE_ROWS = 1_000_000  # rows; larger tables are looked at in parts


@dataclass(frozen=True, slots=True)
class Screening:
    """What the kept columns of a table reveal.

    Attributes
    ----------
    findings : tuple of KeptColumnFinding
        Dependencies and kept identifiers, those that refuse a release first, then by rows at risk.
    singling_out : tuple of SinglingOut
        The worst sets of one, two and three kept columns, and all of them together at the end.
    rows : int
        Rows of the table, without those that the policy excludes from the release.
    k : int
        The number of lookalikes that rows should have.
    """

    findings: tuple[KeptColumnFinding, ...]
    singling_out: tuple[SinglingOut, ...]
    rows: int
    k: int

    def refused(self, accepted: Collection[str] = ()) -> tuple[KeptColumnFinding, ...]:
        """The findings that refuse a release.

        A finding is accepted if all of its kept columns are accepted: a column that is accepted
        for what it shows by itself is not accepted for what it shows with another one.

        Parameters
        ----------
        accepted : collection of str
            The kept columns that the policy accepts.

        Returns
        -------
        tuple of KeptColumnFinding
        """
        return tuple(
            finding
            for finding in self.findings
            if finding.refuses and not set(finding.columns) <= set(accepted)
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything in plain sentences: the findings, and the worst sets that single out."""
        together = self.singling_out[-1:]
        return (
            *(finding.sentence for finding in self.findings),
            *(
                singling_out_sentence(worst, self.rows)
                for worst in (*self._worst_of_each_size(), *together)
                if worst.rows
            ),
        )

    def _worst_of_each_size(self) -> tuple[SinglingOut, ...]:
        """The worst set of each size, as ``singling_out`` has it first."""
        first: dict[int, SinglingOut] = {}
        for singled in self.singling_out[:-1]:
            first.setdefault(len(singled.columns), singled)
        return tuple(first.values())


def screen_kept_columns(
    table: Table,
    policy: Policy,
    k: int | None = None,
    *,
    rows: int | None = None,
) -> Screening:
    """Screen the columns that a policy keeps unchanged, before anything is released.

    Parameters
    ----------
    table : Table
        The original table.
    policy : Policy
        The roles of its columns. Columns without a role, and columns that the table lacks, are
        not looked at; ``policy.faults`` reports them.
    k : int, optional
        A row with fewer lookalikes is at risk. By default the fewest rows that the policy allows
        in a class, and at least 2.

    rows : int, optional
        The rows that the policy does not exclude, if they were counted already.

    Returns
    -------
    Screening

    Raises
    ------
    ValueError
        If ``k`` is below 2.
    """
    k = max(policy.smallest, 2) if k is None else k
    if k < 2:
        raise ValueError(f"k is {k}; k must be 2 or more, since every row looks like itself")
    kept = tuple(name for name in table.columns if name in policy.kept)
    targets = tuple(name for name in table.columns if name in policy.names)
    hidden = (*policy.identifiers, *policy.pseudonyms)
    dropped = tuple(name for name in table.columns if name in hidden)
    eligible = table.eligible_rows(policy.eligible)
    rows = eligible.rows() if rows is None else rows
    if not kept or not rows:
        return Screening((), (), rows, k)
    try:
        return _screen(eligible, rows, kept, targets, dropped, k)
    except ValueRangeError:
        uncounted = tuple(name for name in kept if not _can_be_counted(eligible, name))
        if not uncounted:
            raise
    others = tuple(name for name in kept if name not in uncounted)
    rest = _screen(eligible, rows, others, targets, dropped, k) if others else None
    unknown = (
        KeptColumnFinding((name,), Kind.NOT_EXAMINED, (), rows, True, not_examined_sentence(name))
        for name in uncounted
    )
    findings = (*unknown, *(rest.findings if rest else ()))
    return Screening(findings, rest.singling_out if rest else (), rows, k)


def _can_be_counted(table: Table, name: str) -> bool:
    """Does the engine hold only values of the column that can be read here?"""
    try:
        table.count_groups([name])
    except ValueRangeError:
        return False
    return True


def _screen(
    eligible: Table,
    rows: int,
    kept: tuple[str, ...],
    targets: tuple[str, ...],
    dropped: tuple[str, ...],
    k: int,
) -> Screening:
    """The screening of columns that can be counted."""
    names, measure = (*kept, *targets, *dropped), partial(_dependencies, dropped=dropped, k=k)
    if rows > MAX_WHOLE_ROWS:
        from lookalike.risks.kept_columns.large_tables import (
            identifiers_of_large,
            parts_of,
            relations_of_large,
            singled_out_of_large,
        )

        part = CodedTable.of(eligible.sample_groups(names, parts_of(rows)))
        singled = singled_out_of_large(eligible, part, kept)
        identifiers = identifiers_of_large(eligible, kept, k)
        named = {name for finding in identifiers for name in finding.columns}
        relations = relations_of_large(
            eligible,
            part,
            kept,
            (*targets, *dropped),
            dropped,
            k,
            named,
            partial(measure, named=named),
        )
    else:
        coded = CodedTable.of(eligible.count_groups(names))
        singled = single_out(coded, kept)
        identifiers = find_kept_identifiers(coded, kept, eligible.types, k)
        named = {name for finding in identifiers for name in finding.columns}
        relations = measure(coded, kept, (*targets, *dropped), named=named)
    findings = (*relations, *identifiers)
    ordered = sorted(findings, key=lambda finding: (not finding.refuses, -finding.rows))
    return Screening(tuple(ordered), singled, rows, k)


def _dependencies(
    table: CodedTable,
    kept: Sequence[str],
    targets: Sequence[str],
    *,
    dropped: Collection[str],
    k: int,
    named: Collection[str],
) -> list[KeptColumnFinding]:
    """One finding for each relation, and one for all together if that is more."""
    relations = find_relations(table, kept, targets, dropped, k, named)
    quasi_identifiers = [name for name in targets if name not in dropped]
    findings = []
    for relation in relations:
        below, with_others = relation.rows_below(k, table.counts), 0
        if relation.target not in dropped:
            with_others = rows_below_with_others(table, relation, quasi_identifiers, k)
        sentence = dependency_sentence(relation, dropped, below, with_others, table.rows, k)
        findings.append(
            KeptColumnFinding(
                relation.kept,
                relation.kind,
                (relation.target,),
                below or with_others,
                bool(below or with_others),
                sentence,
                relation.share,
            )
        )
    if together := all_together(table, relations, k):
        sentence = together_sentence(together, table.rows, k)
        findings.append(
            KeptColumnFinding(
                together.kept, Kind.TOGETHER, together.targets, together.rows, True, sentence
            )
        )
    return findings
