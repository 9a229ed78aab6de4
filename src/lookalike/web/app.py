"""The web application: pages behind the gate, with a queue for long work."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from lookalike.errors import LookalikeError
from lookalike.version import VERSION
from lookalike.web.gate import Gate
from lookalike.web.pages import (
    candidates,
    columns,
    downloads,
    hierarchies,
    home,
    requirements,
    table_rows,
)
from lookalike.web.pages.page_frame import page
from lookalike.web.project.project import all_jobs
from lookalike.web.queue import Queue
from lookalike.web.settings import TEMPORARY, Settings

PAGES = (home, table_rows, columns, hierarchies, requirements, candidates, downloads)
HEADINGS = {404: "Page not found", 405: "Not possible here", 413: "File too large"}


def studio(settings: Settings) -> ASGIApp:
    """The studio as an ASGI application."""
    queue = Queue(settings.folder / TEMPORARY, settings.key, settings.ledger)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        queue.start(all_jobs(settings.folder, settings.users.values()))
        yield
        queue.close()

    app = FastAPI(
        title="lookalike", version=VERSION, lifespan=lifespan,
        docs_url=None, redoc_url=None, openapi_url=None,
    )  # fmt: skip
    app.state.settings, app.state.queue = settings, queue
    for module in PAGES:
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=str(files("lookalike.web") / "static")))
    app.exception_handler(LookalikeError)(_faults_page)
    app.exception_handler(HTTPException)(_http_error_page)
    app.exception_handler(RequestValidationError)(_bad_address_page)
    app.exception_handler(Exception)(_bug_page)
    return Gate(app, settings)


def _faults_page(request: Request, error: Exception) -> HTMLResponse:
    """Faults that no form can show."""
    assert isinstance(error, LookalikeError)
    return page(request, "faults.html", 400, error.faults)


def _http_error_page(request: Request, error: Exception) -> HTMLResponse:
    assert isinstance(error, HTTPException)
    heading = HEADINGS.get(error.status_code, "The request failed")
    detail = error.detail if error.status_code == 413 else ""
    return page(request, "error.html", error.status_code, heading=heading, detail=detail)


def _bad_address_page(request: Request, error: Exception) -> HTMLResponse:
    """An address that has text where a number belongs."""
    return page(request, "error.html", 404, heading=HEADINGS[404], detail="")


def _bug_page(request: Request, error: Exception) -> HTMLResponse:
    """The message may contain cell values, so only the type of the error is shown."""
    detail = f"{type(error).__name__}: this is a bug in lookalike. Nothing was released."
    return page(request, "error.html", 500, heading="Internal error", detail=detail)
