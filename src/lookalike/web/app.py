"""The server: pages behind a gate, a queue behind the pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.types import ASGIApp

from lookalike.errors import LookalikeError
from lookalike.version import VERSION
from lookalike.web.gate import Gate
from lookalike.web.page_frame import faults_page, page
from lookalike.web.pages import candidates as runs
from lookalike.web.pages import columns, downloads, hierarchies, home
from lookalike.web.pages import requirements as ask
from lookalike.web.pages import table_rows as tables
from lookalike.web.project import all_jobs
from lookalike.web.queue import Queue
from lookalike.web.settings import TEMPORARY, Settings


def studio(settings: Settings) -> ASGIApp:
    """The whole of it, to be served."""
    queue = Queue(settings.folder / TEMPORARY, settings.key, settings.ledger)

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        queue.begin(all_jobs(settings.folder, iter(settings.users.values())))
        yield
        queue.close()

    app = FastAPI(
        title="lookalike", version=VERSION, lifespan=living,
        docs_url=None, redoc_url=None, openapi_url=None,
    )  # fmt: skip
    app.state.settings, app.state.queue = settings, queue
    for one in (home, tables, columns, hierarchies, ask, runs, downloads):
        app.include_router(one.router)
    app.mount("/static", StaticFiles(directory=str(files("lookalike.web") / "static")))
    app.exception_handler(LookalikeError)(_faults)
    app.exception_handler(AnyHTTPException)(_not_there)
    app.exception_handler(RequestValidationError)(_no_such_place)
    app.exception_handler(Exception)(_bug)
    return Gate(app, settings)


def _faults(request: Request, error: Exception) -> HTMLResponse:
    assert isinstance(error, LookalikeError)
    return faults_page(request, error)


def _not_there(request: Request, error: Exception) -> HTMLResponse:
    assert isinstance(error, AnyHTTPException | HTTPException)
    words = {404: "There is nothing here", 405: "That cannot be done here", 413: "Too large"}
    said = words.get(error.status_code, "That did not work")
    detail = error.detail if error.status_code == 413 else ""
    return page(request, "wrong.html", error.status_code, said=said, detail=detail)


def _no_such_place(request: Request, error: Exception) -> HTMLResponse:
    """An address with something else where a number belongs."""
    return page(request, "wrong.html", 404, said="There is nothing here", detail="")


def _bug(request: Request, error: Exception) -> HTMLResponse:
    """Its message may hold cell values: only its kind is shown."""
    detail = f"{type(error).__name__}: this is a bug of lookalike; nothing was released."
    return page(request, "wrong.html", 500, said="Internal error", detail=detail)
