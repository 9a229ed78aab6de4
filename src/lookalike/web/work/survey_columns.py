"""Look at every column: its values, its likely role and why, how it could get coarser."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.policy.cell_text import text
from lookalike.policy.draft_roles import guess
from lookalike.policy.hierarchies import flat
from lookalike.risks.screening.column_profile import Profile, profile
from lookalike.risks.screening.quasi_identifier_finder import propose
from lookalike.tables.open import open_table
from lookalike.web.job import Job
from lookalike.web.private_files import write_json

SHOWN = 20_000  # values of a column that are kept, for previews of its hierarchy
ROLES = {"identifier": "identifiers", "sensitive": "sensitive"}


def work(job: Job) -> None:
    table = open_table(job.asked["source"])
    looked: list[Profile] = []
    for number, name in enumerate(table.columns, 1):
        job.set_state("running", phase=f"Looking at column {number} of {len(table.columns)}")
        looked.append(profile(table, name))
    standing = {one.name: one for one in propose(looked).columns}
    columns = []
    for number, one in enumerate(looked):
        facts, candidate, guessed = one.facts, standing[one.facts.name], guess(one.facts)
        role = ROLES.get(candidate.standing, guessed.role)
        hierarchy = guessed.hierarchy or flat()
        columns.append(
            {
                "name": facts.name,
                "type": facts.type,
                "values": facts.distinct,
                "nulls": facts.nulls,
                "separation": candidate.separation,
                "role": role,
                "why": _reasons(candidate.reasons, guessed.reason if role == guessed.role else ""),
                "hierarchy": dict(hierarchy.to_dict()),
            }
        )
        most = sorted(zip(one.rows.tolist(), map(text, one.values), strict=True), reverse=True)
        step = -(-len(one.values) // SHOWN) or 1
        write_json(
            job.folder / f"column-{number}.json",
            {
                "values": [text(value) for value in one.values[::step]],
                "sampled": step > 1,
                "nulls": facts.nulls,
                "frequent": [[value, rows] for rows, value in most[:20]],
            },
        )
    rows = looked[0].facts.rows if looked else table.rows()
    write_json(job.folder / "result.json", {"rows": rows, "columns": columns, "kind": table.kind})


def _reasons(known: Sequence[str], guessed: str) -> list[str]:
    """Both guesses say why; what both say, once."""
    said = list(dict.fromkeys(known))
    return said if any(guessed in one or one in guessed for one in said) else [*said, guessed]
