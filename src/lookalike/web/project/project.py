"""A project: one table and its releases, as files in a folder of the user.

project.json   the name of the project, and where its table is
table/         the table, if it was uploaded, under its own name
policy.toml    the policy, as far as it has been decided
jobs/          one folder for each job (``job.py``)
"""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.web.project.job import Job
from lookalike.web.project.private_files import make_folder, read_json, write_json

PROJECT_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Project:
    """A project by its folder; all its properties are read from the files."""

    folder: Path

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def facts(self) -> dict[str, Any]:
        return dict(read_json(self.folder / "project.json") or {})

    @property
    def name(self) -> str:
        return str(self.facts.get("name", self.id))

    @property
    def source(self) -> str:
        """Where the table is: a file of the project, or an address, perhaps with a password."""
        facts = self.facts
        if "database" in facts:
            return f"duckdb:{self.folder / facts['database']}?table={facts['inside']}"
        return str(self.folder / facts["file"]) if "file" in facts else str(facts["address"])

    @property
    def table_name(self) -> str:
        """The source as the pages show it, without a password."""
        facts = self.facts
        return str(facts.get("called") or facts.get("inside", ""))

    @property
    def policy(self) -> Path:
        return self.folder / "policy.toml"

    def job(self, name: str) -> Job | None:
        """The job with this name, for example ``run-3``."""
        job = Job(self.folder / "jobs" / name)
        return job if re.fullmatch(r"[a-z]+-[0-9]{1,6}", name) and job.exists else None

    def jobs(self, kind: str = "") -> list[Job]:
        """All jobs, or those of one kind, oldest first."""
        jobs = [Job(path) for path in (self.folder / "jobs").glob(f"{kind or '*'}-*")]
        return sorted((job for job in jobs if job.exists), key=lambda job: (job.number, job.kind))

    def latest(self, kind: str) -> Job | None:
        return next(reversed(self.jobs(kind)), None)

    def survey(self) -> Job | None:
        """The latest survey of the columns that is done."""
        return next((job for job in reversed(self.jobs("survey")) if job.state == "done"), None)

    def new_job(self, kind: str, request: dict[str, Any]) -> Job:
        number = max((job.number for job in self.jobs(kind)), default=0) + 1
        job = Job(make_folder(self.folder / "jobs" / f"{kind}-{number}"))
        common = {"kind": kind, "source": self.source, "called": self.table_name}
        write_json(job.folder / "job.json", common | request)
        job.set_state("queued")
        return job

    def remove(self) -> None:
        """Delete all files; a job that was just killed may still hold one."""
        shutil.rmtree(self.folder, ignore_errors=True)


def projects(home: Path) -> list[Project]:
    """The projects of a user, newest first."""
    folders = [Project(path) for path in home.iterdir() if PROJECT_ID.fullmatch(path.name)]
    complete = [project for project in folders if project.facts]
    return sorted(complete, key=lambda project: -float(project.facts.get("made", 0)))


def find_project(home: Path, id: str) -> Project | None:
    """The project with this id, if the user has it."""
    project = Project(home / id)
    return project if PROJECT_ID.fullmatch(id) and project.facts else None


def new_project(home: Path) -> Project:
    """An empty folder; ``describe`` makes it a project."""
    folder = make_folder(home / secrets.token_hex(8))
    make_folder(folder / "jobs")
    return Project(folder)


def describe(project: Project, name: str, **source: str) -> None:
    write_json(project.folder / "project.json", {"name": name, "made": time.time(), **source})


def all_jobs(folder: Path, users: Iterable[str]) -> Iterator[Job]:
    """The jobs of all users, for a server that starts again."""
    for user in users:
        for project in projects(folder / user):
            yield from project.jobs()
