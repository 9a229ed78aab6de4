"""The page on which the user gives each column its role, starting from a proposal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from lookalike.errors import Fault
from lookalike.web.pages.form_reading import text
from lookalike.web.pages.page_frame import (
    FormOfPage,
    ProjectOfPage,
    QueueOfPage,
    page,
    redirect,
    refresh,
)
from lookalike.web.project import policy_document as document
from lookalike.web.project.job import Job
from lookalike.web.project.project import Project

router = APIRouter()
TYPE_NAMES = {
    "varchar": "text", "bigint": "whole number", "integer": "whole number", "double": "number",
}  # fmt: skip


@router.get("/projects/{id}/columns")
def show(request: Request, project: ProjectOfPage) -> HTMLResponse:
    survey = project.survey()
    if survey is None:
        job = project.latest("survey")
        return page(
            request, "surveying.html", project=project, step="columns", progress=_progress(job)
        )
    return _columns_page(request, project, survey, document.read(project))


def _columns_page(
    request: Request,
    project: Project,
    survey: Job,
    policy: document.Document,
    faults: Sequence[Fault] = (),
) -> HTMLResponse:
    """With the roles of the policy, or the proposed ones if nothing is decided yet."""
    columns = [
        column
        | {
            "chosen": document.section_of(policy, column["name"])
            or ("" if policy else column["role"]),
            "type": TYPE_NAMES.get(column["type"].lower(), column["type"].lower()),
        }
        for column in survey.result["columns"]
    ]
    return page(
        request, "columns.html", 400 if faults else 200, faults, project=project, step="columns",
        columns=columns, sections=document.SECTIONS, rows=survey.result["rows"],
        decided=bool(policy),
    )  # fmt: skip


def _progress(job: Job | None) -> dict[str, Any]:
    progress = {"state": "queued", "phase": "Queued", "faults": []}
    return progress | (job.progress if job else {})


@router.get("/projects/{id}/surveying")
def surveying(request: Request, project: ProjectOfPage) -> HTMLResponse:
    """Polled while the columns are surveyed."""
    job = project.latest("survey")
    if job is None or job.over:
        return refresh()
    return page(request, "_surveying.html", project=project, progress=_progress(job))


@router.post("/projects/{id}/survey")
def survey_again(project: ProjectOfPage, queue: QueueOfPage) -> RedirectResponse:
    queue.add(project.new_job("survey", {}))
    return redirect(f"/projects/{project.id}/columns")


@router.post("/projects/{id}/columns", response_model=None)
def save(
    request: Request, project: ProjectOfPage, form: FormOfPage
) -> HTMLResponse | RedirectResponse:
    survey = project.survey()
    if survey is None:
        return redirect(f"/projects/{project.id}/columns")
    columns = survey.result["columns"]
    policy = document.read(project) or document.draft(columns)
    faults = []
    for number, column in enumerate(columns):
        section = text(form, f"role_{number}")
        if not section:
            fix = "choose a role; a column without one could reveal people"
            faults.append(Fault(column["name"], "this column has no role", fix))
        if section != "pseudonyms" and section in {"", *document.SECTIONS}:
            document.set_section(policy, column["name"], section, column["hierarchy"])
    if not policy.get("quasi_identifiers"):
        fix = "choose the columns that an outsider could know"
        faults.append(Fault("columns", "there is no quasi-identifier", fix))
    if faults:
        return _columns_page(request, project, survey, policy, faults)
    document.save(project, policy)
    return redirect(f"/projects/{project.id}/hierarchies")
