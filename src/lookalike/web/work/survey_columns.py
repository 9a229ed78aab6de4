"""Survey the columns: their values, a likely role with reasons, and a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence

import lookalike as la
from lookalike import api
from lookalike.web.project.database_addresses import open_source
from lookalike.web.project.job import Job
from lookalike.web.project.private_files import write_json

MAX_VALUES = 20_000  # of a column that are kept for previews of its hierarchy
FREQUENT_VALUES = 20
SECTIONS = {"identifier": "identifiers", "sensitive": "sensitive"}


def work(job: Job) -> None:
    table = open_source(job.request["source"])
    profiles: list[api.Profile] = []
    for number, name in enumerate(table.columns, 1):
        job.set_state("running", phase=f"Reading column {number} of {len(table.columns)}")
        profiles.append(api.profile_column(table, name))
    proposals = {
        candidate.name: candidate for candidate in api.propose_quasi_identifiers(profiles).columns
    }
    columns = []
    for number, column in enumerate(profiles):
        facts, guessed = column.facts, api.guess_role(column.facts)
        proposal = proposals[facts.name]
        role = SECTIONS.get(proposal.standing, guessed.role)
        columns.append(
            {
                "name": facts.name,
                "type": facts.type,
                "values": facts.distinct,
                "nulls": facts.nulls,
                "separation": proposal.separation,
                "role": role,
                "why": _reasons(proposal.reasons, guessed.reason if role == guessed.role else ""),
                "hierarchy": dict((guessed.hierarchy or la.flat()).to_dict()),
            }
        )
        counts = zip(column.rows.tolist(), map(api.cell_text, column.values), strict=True)
        frequent = sorted(counts, reverse=True)[:FREQUENT_VALUES]
        step = -(-len(column.values) // MAX_VALUES) or 1
        write_json(
            job.folder / f"column-{number}.json",
            {
                "values": [api.cell_text(value) for value in column.values[::step]],
                "sampled": step > 1,
                "nulls": facts.nulls,
                "frequent": [[value, rows] for rows, value in frequent],
            },
        )
    rows = profiles[0].facts.rows if profiles else table.rows()
    write_json(job.folder / "result.json", {"rows": rows, "columns": columns, "kind": table.kind})


def _reasons(proposed: Sequence[str], guessed: str) -> list[str]:
    """The reasons of both guesses, without repetition."""
    reasons = list(dict.fromkeys(proposed))
    known = any(guessed in reason or reason in guessed for reason in reasons)
    return reasons if known else [*reasons, guessed]
