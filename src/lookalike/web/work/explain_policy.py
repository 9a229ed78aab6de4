"""Meet the policy with the table, before anything is searched."""

from __future__ import annotations

from dataclasses import asdict

from lookalike import api
from lookalike.policy.policy_file import load
from lookalike.tables.open import open_table
from lookalike.web.job import Job
from lookalike.web.private_files import write_json


def work(job: Job) -> None:
    job.set_state("running", phase="Counting who looks alike")
    asked = load(job.folder / "policy.toml")
    problem = api.prepare(open_table(job.asked["source"]), asked.policy)
    found = api.explain(problem, asked.search.by)
    write_json(job.folder / "result.json", asdict(found))
