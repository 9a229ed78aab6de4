"""Estimate the size of the search, before anything is searched."""

from __future__ import annotations

from dataclasses import asdict

from lookalike import api
from lookalike.policy.policy_file import load
from lookalike.tables.open import open_table
from lookalike.web.project.job import Job
from lookalike.web.project.private_files import write_json


def work(job: Job) -> None:
    job.set_state("running", phase="Counting")
    policy_file = load(job.folder / "policy.toml")
    problem = api.prepare(open_table(job.request["source"]), policy_file.policy)
    by = policy_file.search.by
    explanation = asdict(api.explain(problem, by))
    write_json(job.folder / "result.json", explanation | {"automatic": by == "auto"})
