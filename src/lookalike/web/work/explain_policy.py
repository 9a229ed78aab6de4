"""Say what the kept columns reveal and how large the search is, before anything is searched."""

from __future__ import annotations

from dataclasses import asdict

import lookalike as la
from lookalike import api
from lookalike.events import Phase
from lookalike.web.project.database_addresses import open_source
from lookalike.web.project.job import Job
from lookalike.web.project.private_files import write_json


def work(job: Job) -> None:
    job.set_state("running", phase="Counting")
    policy_file = api.load_policy_file(job.folder / "policy.toml")
    table, policy = open_source(job.request["source"]), policy_file.policy
    problem = la.prepare(table, policy)
    by = policy_file.search.by
    explanation = asdict(la.explain(problem, by))
    job.set_state("running", phase=Phase.SCREENING.heading)
    screening = la.screen(table, policy)
    found = {
        "revealed": screening.sentences,
        "refused": [asdict(fault) for fault in api.gate_faults(screening, policy)],
    }
    write_json(job.folder / "result.json", explanation | {"automatic": by == "auto"} | found)
