"""The first page: projects there are, and how to begin another."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from starlette.datastructures import UploadFile

from lookalike.demo_data.patients import patients, write_csv
from lookalike.errors import Fault, LookalikeError, TableError
from lookalike.tables.open import open_table
from lookalike.tables.table_listing import tables_in
from lookalike.web import policy_document as document
from lookalike.web.database_addresses import check_address, shown_address
from lookalike.web.form_reading import text
from lookalike.web.page_frame import Form, InProject, TheQueue, page, settings_of, to
from lookalike.web.private_files import make_folder
from lookalike.web.project import Project, describe, new_project, projects

router = APIRouter()
ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".csv.gz", ".tsv.gz", ".txt.gz")
DATABASES = (".duckdb",)
DEMO = 10_000  # patients


@router.get("/favicon.ico")
def mark() -> FileResponse:
    """Asked for by browsers where no page says otherwise."""
    return FileResponse(str(files("lookalike.web") / "static" / "mark.svg"))


@router.get("/")
def home(request: Request) -> HTMLResponse:
    return _home(request)


def _home(request: Request, faults: tuple[Fault, ...] = (), status: int = 200) -> HTMLResponse:
    settings = settings_of(request)
    mine = [
        {"id": one.id, "name": one.name, "shown": one.shown, "runs": len(one.jobs("run"))}
        for one in projects(settings.folder / request.scope["user"])
    ]
    return page(
        request, "home.html", status, faults, projects=mine, tables=_tables(settings.data),
        upload=_size(settings.upload), endings=",".join((*ENDINGS, *DATABASES)),
    )  # fmt: skip


def _size(number: int) -> str:
    return f"{number / 1e9:g} GB" if number >= 1e9 else f"{number / 1e6:g} MB"


def _tables(data: Path | None) -> list[str]:
    """What may be opened where it is, by its name in the folder given."""
    if data is None:
        return []
    found = []
    inside = (one for one in data.iterdir() if one.resolve().is_relative_to(data))
    for one in inside:  # a link may lead out
        if one.is_file() and one.name.lower().endswith(ENDINGS):
            found.append(one.name)
        elif one.is_file() and one.name.lower().endswith(DATABASES):
            with suppress(TableError):  # one that cannot be read now is not offered
                found += [
                    f"{one.name}?table={name}" for name in tables_in(f"duckdb:{one}", views=False)
                ]
    return sorted(found)


@router.post("/projects", response_model=None)
def begin(request: Request, form: Form, queue: TheQueue) -> HTMLResponse | RedirectResponse:
    """A project from a file that is sent, a file that is there, a database, or the hospital."""
    settings = settings_of(request)
    project = new_project(settings.folder / request.scope["user"])
    try:
        _open(project, form, settings.data)
        open_table(project.source)  # a table that does not read is no project
    except LookalikeError as error:
        project.remove()
        return _home(request, error.faults, 400)
    queue.add(project.new_job("look", {}))
    return to(f"/projects/{project.id}/columns")


def _open(project: Project, form: Any, data: Path | None) -> None:
    sent, address, chosen = form.get("file"), text(form, "address"), text(form, "table")
    if text(form, "from") == "hospital":
        file = _place(project, "patients.csv")
        write_csv(file, patients(DEMO))
        describe(project, "The invented hospital", file=f"table/{file.name}", called=file.name)
    elif isinstance(sent, UploadFile) and sent.filename:
        called = re.split(r"[/\\]", sent.filename)[-1]
        ending = _ending(called)
        file = _place(project, called)
        with file.open("xb") as written:
            shutil.copyfileobj(sent.file, written, 1 << 20)
        if ending in DATABASES:
            inside = _inside(file, called, text(form, "inside"))
            shown = f"duckdb:{called}?table={inside}"
            describe(project, inside, database=f"table/{file.name}", inside=inside, called=shown)
        else:
            describe(project, called, file=f"table/{file.name}", called=file.name)
    elif chosen:
        if data is None or chosen not in _tables(data):
            fix = "choose one of those listed"
            raise TableError(Fault("the table", "there is no such file in the folder", fix))
        database = "duckdb:" if "?table=" in chosen else ""
        describe(project, chosen, address=f"{database}{data / chosen}", called=chosen)
    elif address:
        check_address(address)
        shown = shown_address(address)
        describe(project, shown.rpartition("=")[2], address=address, called=shown)
    else:
        fix = "choose a file, or give the address of a table"
        raise TableError(Fault("the table", "none was given", fix))


def _place(project: Project, called: str) -> Path:
    """In a folder of its own, under what is left of its name without signs that a path may have."""
    ending = _ending(called)
    stem = re.sub(r"[^\w-]+", "_", called[: -len(ending)])[:60].strip("_") or "table"
    return make_folder(project.folder / "table") / f"{stem}{ending}"


def _ending(name: str) -> str:
    lower = name.lower()
    found = [one for one in (*ENDINGS, *DATABASES) if lower.endswith(one)]
    if not found:
        problem = "the end of its name says no kind of table"
        fix = "send a file that ends in .csv, .tsv, .txt (also .gz), .parquet or .duckdb"
        raise TableError(Fault("the table", problem, fix))
    return max(found, key=len)


def _inside(database: Path, called: str, asked: str) -> str:
    """The table of a database that is meant: the one it has, if none was named."""
    names = tables_in(f"duckdb:{database}", views=False)
    meant = [one for one in names if not asked or asked in (one, one.rpartition(".")[2])]
    if len(meant) == 1:
        return meant[0]
    problem = "there is no such table in it" if asked else "it is not said which of its tables"
    raise TableError(Fault(called, problem, f"name one of: {', '.join(names) or 'it has none'}"))


@router.post("/projects/{id}/remove")
def remove(project: InProject, queue: TheQueue) -> RedirectResponse:
    """With everything in it."""
    for job in project.jobs():
        queue.cancel(job)
    project.remove()
    return to("/")


@router.post("/projects/{id}/policy", response_model=None)
def take_policy(request: Request, project: InProject, form: Form) -> RedirectResponse:
    """A policy file in place of what has been said so far."""
    sent = form.get("policy")
    if not isinstance(sent, UploadFile) or not sent.filename:
        raise HTTPException(400)
    given = document.parse(sent.file.read().decode("utf-8-sig", "replace"))
    document.check(given, project)
    document.save(project, given)
    return to(f"/projects/{project.id}/ask")
