"""Verify a release again, with the original, the policy and the solution."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import lookalike as la
from lookalike import api
from lookalike.web.project.database_addresses import open_source
from lookalike.web.project.job import Job
from lookalike.web.project.private_files import write_json


def work(job: Job) -> None:
    job.set_state("running", phase="Verifying the release")
    run = Path(job.request["run"])
    release = run / Job(run).result["release"]
    verdict = la.verify(
        release,
        release.with_name(release.name + ".certificate.json"),
        original=open_source(job.request["source"]),
        policy=api.load_policy(run / "policy.toml"),
        solution=api.load_solution(run / "solution.json"),
        key=job.key,
    )
    findings = [asdict(finding) for finding in verdict.findings]
    write_json(job.folder / "result.json", {"passed": verdict.passed, "findings": findings})
