"""Verify a release again, with original, policy and solution at hand."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from lookalike import api
from lookalike.policy.policy_file import load
from lookalike.solution import solution_file
from lookalike.web.job import Job
from lookalike.web.private_files import write_json


def work(job: Job) -> None:
    job.set_state("running", phase="Verifying the release")
    run = Path(job.asked["run"])
    release = run / Job(run).result["release"]
    found = api.verify(
        release,
        release.with_name(release.name + ".certificate.json"),
        original=job.asked["source"],
        policy=load(run / "policy.toml").policy,
        solution=solution_file.load(run / "solution.json"),
        key=job.key,
    )
    findings = [asdict(one) for one in found.findings]
    write_json(job.folder / "result.json", {"passed": found.passed, "findings": findings})
