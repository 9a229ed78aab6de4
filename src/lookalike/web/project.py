"""A project: one table and what is to become of it, as files in a folder of the user's.

project.json   what it is called, and where its table is
table/         the table, if it was sent, under its own name
policy.toml    what is asked, as far as it has been said
jobs/          what was done: one folder a job (``job.py``)
"""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.tables.open import open_table
from lookalike.tables.table import Table
from lookalike.web.job import Job
from lookalike.web.private_files import make_folder, read_json, write_json

ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Project:
    """One folder; nothing of it is held in memory."""

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
        """Where the table is: a file of the project, or an address. It may hold a password."""
        facts = self.facts
        if "database" in facts:
            return f"duckdb:{self.folder / facts['database']}?table={facts['inside']}"
        return str(self.folder / facts["file"]) if "file" in facts else str(facts["address"])

    @property
    def shown(self) -> str:
        """The same to read, without a password."""
        facts = self.facts
        return str(facts.get("called") or facts.get("inside", ""))

    @property
    def policy(self) -> Path:
        return self.folder / "policy.toml"

    def table(self) -> Table:
        return open_table(self.source)

    def job(self, name: str) -> Job | None:
        """By its name, as ``run-3``; None if there is none."""
        job = Job(self.folder / "jobs" / name)
        return job if re.fullmatch(r"[a-z]+-[0-9]{1,6}", name) and job.exists else None

    def jobs(self, kind: str = "") -> list[Job]:
        """Those of a kind, or all, in the order they were asked for."""
        found = [Job(one) for one in (self.folder / "jobs").glob(f"{kind or '*'}-*")]
        return sorted((one for one in found if one.exists), key=lambda one: (one.number, one.kind))

    def latest(self, kind: str) -> Job | None:
        return next(reversed(self.jobs(kind)), None)

    def looked(self) -> Job | None:
        """The latest look at its columns that came to an end."""
        return next((one for one in reversed(self.jobs("look")) if one.state == "done"), None)

    def new_job(self, kind: str, asked: dict[str, Any]) -> Job:
        numbers = [one.number for one in self.jobs(kind)]
        number = max(numbers, default=0) + 1
        folder = make_folder(self.folder / "jobs" / f"{kind}-{number}")
        told = {"kind": kind, "source": self.source, "called": self.shown}
        write_json(folder / "job.json", told | asked)
        job = Job(folder)
        job.set_state("queued")
        return job

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)  # a job that was killed may be in the way


def projects(home: Path) -> list[Project]:
    """A user's, newest first."""
    found = [Project(one) for one in home.iterdir() if ID.fullmatch(one.name)]
    whole = [one for one in found if one.facts]
    return sorted(whole, key=lambda one: -float(one.facts.get("made", 0)))


def find_project(home: Path, id: str) -> Project | None:
    """By its id, which is no path."""
    project = Project(home / id)
    return project if ID.fullmatch(id) and project.facts else None


def new_project(home: Path) -> Project:
    """A folder with room for a table; ``describe`` makes it a project."""
    folder = home / secrets.token_hex(8)
    for one in (folder, folder / "jobs"):
        make_folder(one)
    return Project(folder)


def describe(project: Project, name: str, **where: str) -> None:
    facts = {"name": name, "made": time.time(), **where}
    write_json(project.folder / "project.json", facts)


def all_jobs(folder: Path, users: Iterator[str]) -> Iterator[Job]:
    """Of every user, for a server that starts again."""
    for user in users:
        for project in projects(folder / user):
            yield from project.jobs()
