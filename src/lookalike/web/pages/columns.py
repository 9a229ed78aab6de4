"""What each column is: proposed with reasons, decided by the user."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from lookalike.errors import Fault
from lookalike.web import policy_document as document
from lookalike.web.form_reading import text
from lookalike.web.job import Job
from lookalike.web.page_frame import Form, InProject, TheQueue, page, refresh, to
from lookalike.web.project import Project

router = APIRouter()
CHOICES = (
    ("quasi_identifiers", "could be known: make coarser"),
    ("identifiers", "names people: drop"),
    ("sensitive", "sensitive: keep"),
    ("insensitive", "harmless: keep"),
)


@router.get("/projects/{id}/columns")
def columns(request: Request, project: InProject) -> HTMLResponse:
    return _columns(request, project)


def _columns(
    request: Request,
    project: Project,
    faults: tuple[Fault, ...] = (),
    status: int = 200,
    said: document.Document | None = None,
) -> HTMLResponse:
    """As decided, or as the form says that was not taken."""
    job = project.looked()
    if job is None:
        job = project.latest("look")
        return page(
            request, "looking.html", project=project, step="columns", job=job, told=_told(job)
        )
    said = document.read(project) if said is None else said
    rows = [
        {**one, "chosen": document.role_of(said, one["name"]) or (one["role"] if not said else "")}
        for one in job.result["columns"]
    ]
    return page(
        request, "columns.html", status, faults, project=project, step="columns", columns=rows,
        choices=CHOICES, rows=job.result["rows"], decided=bool(said),
    )  # fmt: skip


def _told(job: Job | None) -> dict[str, Any]:
    return {"phase": "Waiting", "faults": []} | (job.told if job else {"state": "queued"})


@router.get("/projects/{id}/looking")
def looking(request: Request, project: InProject) -> HTMLResponse:
    """Polled while the columns are being looked at."""
    job = project.latest("look")
    if job is None or job.over:
        return refresh()
    return page(request, "_looking.html", project=project, told=_told(job))


@router.post("/projects/{id}/look")
def look_again(project: InProject, queue: TheQueue) -> RedirectResponse:
    queue.add(project.new_job("look", {}))
    return to(f"/projects/{project.id}/columns")


@router.post("/projects/{id}/columns", response_model=None)
def decide(request: Request, project: InProject, form: Form) -> HTMLResponse | RedirectResponse:
    job = project.looked()
    if job is None:
        return to(f"/projects/{project.id}/columns")
    looked = job.result["columns"]
    said = document.read(project) or document.begin(looked)
    faults = []
    for number, one in enumerate(looked):
        role = text(form, f"role_{number}")
        if role in dict(CHOICES):
            document.set_role(said, one["name"], role, one["hierarchy"])
        elif not role:
            document.set_role(said, one["name"], "", {})
            fix = "choose what it is: a column without a role would be a leak"
            faults.append(Fault(one["name"], "this column has no role", fix))
    if not said.get("quasi_identifiers"):
        fix = "choose the columns that an outsider could know"
        faults.append(Fault("columns", "none is to be made coarser", fix))
    if faults:
        return _columns(request, project, tuple(faults), 400, said)
    document.save(project, said)
    return to(f"/projects/{project.id}/hierarchies")
