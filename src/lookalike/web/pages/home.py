"""The first page: the projects of the user, and how to start another."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from starlette.datastructures import UploadFile

from lookalike import api
from lookalike.demo_data.patients import patients, write_csv
from lookalike.errors import Fault, LookalikeError, TableError
from lookalike.web.pages.form_reading import text
from lookalike.web.pages.page_frame import (
    FormOfPage,
    ProjectOfPage,
    QueueOfPage,
    page,
    redirect,
    settings_of,
)
from lookalike.web.project import policy_document as document
from lookalike.web.project.database_addresses import (
    allowed_addresses,
    check_address,
    open_source,
    without_password,
)
from lookalike.web.project.open_tables import forget
from lookalike.web.project.private_files import make_folder
from lookalike.web.project.project import Project, describe, new_project, projects
from lookalike.web.project.upload_size import check_cells, check_file
from lookalike.web.settings import Settings

router = APIRouter()
FILE_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".csv.gz", ".tsv.gz", ".txt.gz")
DATABASE_ENDINGS = (".duckdb",)
DEMO_ROWS = 10_000


@router.get("/favicon.ico")
def icon() -> FileResponse:
    """Requested by browsers for pages without a link to an icon."""
    return FileResponse(str(files("lookalike.web") / "static" / "mark.svg"))


@router.get("/")
def show(request: Request) -> HTMLResponse:
    return _home_page(request)


def _home_page(request: Request, faults: Sequence[Fault] = ()) -> HTMLResponse:
    settings = settings_of(request)
    limit = settings.upload
    return page(
        request, "home.html", 400 if faults else 200, faults,
        projects=[
            {"id": p.id, "name": p.name, "table_name": p.table_name, "runs": len(p.jobs("run"))}
            for p in projects(settings.folder / request.scope["user"])
        ],
        tables=_tables(settings.data), addresses=allowed_addresses(),
        upload=f"{limit / 1e9:g} GB" if limit >= 1e9 else f"{limit / 1e6:g} MB",
        endings=",".join((*FILE_ENDINGS, *DATABASE_ENDINGS)),
    )  # fmt: skip


def _tables(data: Path | None) -> list[str]:
    """The tables in the folder given with --data, by name."""
    if data is None:
        return []
    tables = []
    for path in data.iterdir():
        if not path.is_file() or not path.resolve().is_relative_to(data):
            continue  # a link may lead out of the folder
        if path.name.lower().endswith(FILE_ENDINGS):
            tables.append(path.name)
        elif path.name.lower().endswith(DATABASE_ENDINGS):
            with suppress(TableError):  # a database that cannot be read now is not offered
                names = api.tables_in(f"duckdb:{path}", views=False)
                tables += [f"{path.name}?table={name}" for name in names]
    return sorted(tables)


@router.post("/projects", response_model=None)
def start(
    request: Request, form: FormOfPage, queue: QueueOfPage
) -> HTMLResponse | RedirectResponse:
    """A project from an upload, a file of the folder, a database table or the demo table."""
    settings = settings_of(request)
    project = new_project(settings.folder / request.scope["user"])
    try:
        _choose_table(project, form, settings)
        open_source(project.source)  # without a readable table there is no project
    except LookalikeError as error:
        project.remove()
        return _home_page(request, error.faults)
    queue.add(project.new_job("survey", {}))
    return redirect(f"/projects/{project.id}/columns")


def _choose_table(project: Project, form: Any, settings: Settings) -> None:
    data = settings.data
    upload, address, chosen = form.get("file"), text(form, "address"), text(form, "table")
    if text(form, "from") == "hospital":
        file = _upload_path(project, "patients.csv")
        write_csv(file, patients(DEMO_ROWS))
        describe(project, "Demo hospital", file=f"table/{file.name}", called=file.name)
    elif isinstance(upload, UploadFile) and upload.filename:
        _store_upload(project, upload, text(form, "inside"), settings.upload)
    elif chosen:
        if data is None or chosen not in _tables(data):
            fix = "choose one of the tables in the list"
            raise TableError(Fault("the table", "not a table of this folder", fix))
        scheme = "duckdb:" if "?table=" in chosen else ""
        describe(project, chosen, address=f"{scheme}{data / chosen}", called=chosen)
    elif address:
        check_address(address)
        public = without_password(address)
        describe(project, public.rpartition("=")[2], address=address, called=public)
    else:
        fix = "choose a file, or enter the address of a table"
        raise TableError(Fault("the table", "no table was chosen", fix))


def _store_upload(project: Project, upload: UploadFile, table: str, limit: int) -> None:
    """Copy an uploaded file into the project; ``table`` names one of a database.

    It may have at most ``limit`` bytes, also when decompressed.
    """
    name = re.split(r"[/\\]", upload.filename or "")[-1]
    file = _upload_path(project, name)
    with file.open("xb") as copy:
        shutil.copyfileobj(upload.file, copy, 1 << 20)
    check_file(file, name, limit)
    where = f"table/{file.name}"
    if _ending(name) in DATABASE_ENDINGS:
        inside = _table_in_database(file, name, table)
        opened = api.open_table(f"duckdb:{file}?table={inside}")
        check_cells(opened.rows(), len(opened.columns), name, limit)
        called = f"duckdb:{name}?table={inside}"
        describe(project, inside, database=where, inside=inside, called=called)
    else:
        describe(project, name, file=where, called=file.name)


def _upload_path(project: Project, name: str) -> Path:
    """A path in the project's own folder, without special characters."""
    ending = _ending(name)
    stem = re.sub(r"[^\w-]+", "_", name[: -len(ending)])[:60].strip("_") or "table"
    return make_folder(project.folder / "table") / f"{stem}{ending}"


def _ending(name: str) -> str:
    endings = [end for end in (*FILE_ENDINGS, *DATABASE_ENDINGS) if name.lower().endswith(end)]
    if not endings:
        fix = "upload a file that ends in .csv, .tsv, .txt (also .gz), .parquet or .duckdb"
        raise TableError(Fault("the table", "unrecognized file extension", fix))
    return max(endings, key=len)


def _table_in_database(database: Path, file_name: str, wanted: str) -> str:
    """The table with the wanted name, or the only one if no name is given."""
    names = api.tables_in(f"duckdb:{database}", views=False)
    matches = [name for name in names if not wanted or wanted in (name, name.rpartition(".")[2])]
    if len(matches) == 1:
        return matches[0]
    problem = "the database has no such table" if wanted else "the database has several tables"
    fix = f"name one of: {', '.join(names)}" if names else "upload a database with a table"
    raise TableError(Fault(file_name, problem if names else "the database has no tables", fix))


@router.post("/projects/{id}/remove")
def remove(project: ProjectOfPage, queue: QueueOfPage) -> RedirectResponse:
    """Remove a project with all its files."""
    for job in project.jobs():
        queue.cancel(job)
    forget(project.source)
    project.remove()
    return redirect("/")


@router.post("/projects/{id}/policy", response_model=None)
def upload_policy(project: ProjectOfPage, form: FormOfPage) -> RedirectResponse:
    """Replace the policy of a project by an uploaded file."""
    upload = form.get("policy")
    if not isinstance(upload, UploadFile) or not upload.filename:
        raise HTTPException(400)
    policy = document.parse(upload.file.read().decode("utf-8-sig", "replace"))
    document.check(policy, project)
    document.save(project, policy)
    return redirect(f"/projects/{project.id}/requirements")
