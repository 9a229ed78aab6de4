"""What all pages share: templates, number formats, and the objects that an address names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.datastructures import FormData

from lookalike import words
from lookalike.errors import Fault
from lookalike.web.project.job import Job
from lookalike.web.project.project import Project, find_project
from lookalike.web.queue import Queue
from lookalike.web.settings import Settings

STEPS = (
    ("table", "Table"),
    ("columns", "Columns"),
    ("hierarchies", "Hierarchies"),
    ("requirements", "Requirements"),
    ("runs", "Candidates"),
)


def _share(value: float | None, digits: int = 1) -> str:
    if value is None:
        return "unknown"
    return f"{value:.{digits}%}" if value == 0 or value >= 0.001 else "less than 0.1%"


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:,.6g}"


def _seconds(value: float) -> str:
    if value < 1:
        return "less than a second"
    return f"{value:.0f} s" if value < 120 else f"{value / 60:.0f} min"


TEMPLATES = Environment(
    loader=PackageLoader("lookalike.web"), autoescape=True, undefined=StrictUndefined,
    trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip
TEMPLATES.filters |= {
    "count": "{:,}".format, "share": _share, "short": _short, "seconds": _seconds,
}  # fmt: skip
TEMPLATES.globals |= {
    "STEPS": STEPS, "TERMS": words.TERMS, "ROLES": words.ROLES,
    "REQUIREMENTS": words.REQUIREMENTS, "CONVENTIONS": words.CONVENTIONS,
}  # fmt: skip


def settings_of(request: Request) -> Settings:
    return request.app.state.settings  # type: ignore[no-any-return]


def _queue(request: Request) -> Queue:
    return request.app.state.queue  # type: ignore[no-any-return]


def _project(request: Request, id: str) -> Project:
    """The project of this user; projects of other users are not found."""
    project = find_project(settings_of(request).folder / request.scope["user"], id)
    if project is None:
        raise HTTPException(404)
    return project


def _candidate(project: Annotated[Project, Depends(_project)], name: str) -> Job:
    job = project.job(name)
    if job is None or job.kind != "run":
        raise HTTPException(404)
    return job


async def _form(request: Request) -> FormData:
    return await request.form()


ProjectOfPage = Annotated[Project, Depends(_project)]
CandidateOfPage = Annotated[Job, Depends(_candidate)]
FormOfPage = Annotated[FormData, Depends(_form)]
QueueOfPage = Annotated[Queue, Depends(_queue)]


def page(
    request: Request,
    template: str,
    /,
    status: int = 200,
    faults: Iterable[Fault | Mapping[str, str]] = (),
    **context: Any,
) -> HTMLResponse:
    """Render a template with what every page shows."""
    shared = {"user": request.scope.get("user"), "faults": list(faults), "project": None}
    shared |= {"single_user": len(settings_of(request).users) == 1, "step": ""}
    text = TEMPLATES.get_template(template).render(shared | context)
    return HTMLResponse(text, status)


def redirect(path: str) -> RedirectResponse:
    """Go to another page after a form."""
    return RedirectResponse(path, 303)


def refresh() -> HTMLResponse:
    """Reload the page that asked for an update of one of its parts."""
    return HTMLResponse("", headers={"HX-Refresh": "true"})
