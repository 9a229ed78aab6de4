"""Estimate the size of the search, before anything is searched."""

from __future__ import annotations

from dataclasses import asdict

import lookalike as la
from lookalike import api
from lookalike.web.project.database_addresses import open_source
from lookalike.web.project.job import Job
from lookalike.web.project.private_files import write_json


def work(job: Job) -> None:
    job.set_state("running", phase="Counting")
    policy_file = api.load_policy_file(job.folder / "policy.toml")
    problem = la.prepare(open_source(job.request["source"]), policy_file.policy)
    by = policy_file.search.by
    explanation = asdict(la.explain(problem, by))
    write_json(job.folder / "result.json", explanation | {"automatic": by == "auto"})
