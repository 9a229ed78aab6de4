"""What every page shares: its frame, how it says faults, and how it finds what it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import FormData

from lookalike.errors import Fault, LookalikeError
from lookalike.web.glossary import WORDS
from lookalike.web.job import Job
from lookalike.web.project import Project, find_project
from lookalike.web.queue import Queue
from lookalike.web.settings import Settings

STEPS = (
    ("table", "Table"),
    ("columns", "Columns"),
    ("hierarchies", "Hierarchies"),
    ("ask", "Requirements"),
    ("runs", "Candidates"),
)


def _count(value: float) -> str:
    return f"{value:,}"


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
TEMPLATES.filters |= {"count": _count, "share": _share, "short": _short, "seconds": _seconds}
TEMPLATES.globals |= {"STEPS": STEPS, "WORDS": WORDS}


def settings_of(request: Request) -> Settings:
    return request.app.state.settings  # type: ignore[no-any-return]


def queue_of(request: Request) -> Queue:
    return request.app.state.queue  # type: ignore[no-any-return]


def the_project(request: Request, id: str) -> Project:
    """Of this user: what others have is not there."""
    found = find_project(settings_of(request).folder / request.scope["user"], id)
    if found is None:
        raise HTTPException(404, "there is no such project")
    return found


def the_run(project: Annotated[Project, Depends(the_project)], name: str) -> Job:
    found = project.job(name)
    if found is None or found.kind != "run":
        raise HTTPException(404, "there is no such candidate")
    return found


async def the_form(request: Request) -> FormData:
    return await request.form()


InProject = Annotated[Project, Depends(the_project)]
TheRun = Annotated[Job, Depends(the_run)]
Form = Annotated[FormData, Depends(the_form)]
TheQueue = Annotated[Queue, Depends(queue_of)]


def page(
    request: Request,
    template: str,
    /,
    status: int = 200,
    faults: Iterable[Fault | Mapping[str, str]] = (),
    **context: Any,
) -> HTMLResponse:
    shared = {"user": request.scope.get("user"), "faults": list(faults), "project": None}
    shared |= {"alone": len(settings_of(request).users) == 1, "step": ""}
    text = TEMPLATES.get_template(template).render(shared | context)
    return HTMLResponse(text, status)


def drawn(svg: str) -> Markup:
    """A picture of ours, whose texts were escaped when it was drawn."""
    return Markup(svg)


def to(path: str) -> RedirectResponse:
    """After a form: another page, not the form again."""
    return RedirectResponse(path, 303)


def refresh() -> HTMLResponse:
    """For a part of a page that is no longer what the page is about."""
    return HTMLResponse("", headers={"HX-Refresh": "true"})


def faults_page(request: Request, error: LookalikeError) -> HTMLResponse:
    """Where no page of its own can show them."""
    return page(request, "faults.html", 400, error.faults, subject=error.subject)
