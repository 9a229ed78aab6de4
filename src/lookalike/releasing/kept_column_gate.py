"""The gate: no release while a kept column reveals a hidden column or names people.

The whole table is screened after it was counted and before the search (``risks/kept_columns``). A
finding that refuses is settled in one of two ways: the column gets another role, or the policy
accepts it with a reason, which is then in the certificate, the summary and the report.
"""

from __future__ import annotations

from lookalike.errors import Fault, PolicyError
from lookalike.policy.policy import Policy
from lookalike.risks.kept_columns.findings import KeptColumnFinding
from lookalike.risks.kept_columns.screening import Screening, screen_kept_columns
from lookalike.tables.table import Table


def check_kept_columns(table: Table, policy: Policy, rows: int | None = None) -> Screening:
    """Screen the kept columns of a table; PolicyError if anything is refused.

    ``rows`` are the rows that the policy does not exclude, if they were counted already.
    """
    screening = screen_kept_columns(table, policy, rows=rows)
    if faults := gate_faults(screening, policy):
        raise PolicyError(faults)
    return screening


def gate_faults(screening: Screening, policy: Policy) -> list[Fault]:
    """A fault for each finding that the policy does not accept, and one above its limit."""
    faults = [_fault(finding, policy) for finding in screening.refused(policy.accept)]
    return faults + _too_many_singled_out(screening, policy)


def _fault(finding: KeptColumnFinding, policy: Policy) -> Fault:
    missing = [name for name in finding.columns if name not in policy.accept]
    reasons = ", ".join(f'{name} = "the reason"' for name in missing)
    roles = "a quasi-identifier or an identifier"
    them = "make it" if len(finding.columns) == 1 else "make one of them"
    fix = f"{them} {roles}; or accept it in the policy, with a reason: accept = {{ {reasons} }}"
    return Fault(" and ".join(finding.columns), finding.sentence.removesuffix("."), fix)


def _too_many_singled_out(screening: Screening, policy: Policy) -> list[Fault]:
    limit = policy.max_singled_out
    if limit is None or not screening.singling_out:
        return []
    rows = limit if isinstance(limit, int) else int(limit * screening.rows + 1e-9)
    worst = max(screening.singling_out, key=lambda one: one.rows)
    if worst.rows <= rows:
        return []
    problem = (
        f"{worst.rows:,} of {screening.rows:,} rows are unique in {', '.join(worst.columns)}, "
        f"which are kept unchanged; the policy allows {rows:,}"
    )
    fix = "make one of the columns a quasi-identifier or an identifier, or allow more"
    return [Fault("max_singled_out", problem, fix)]
