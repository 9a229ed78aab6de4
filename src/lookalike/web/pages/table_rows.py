"""The page that shows the original table, page by page."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from lookalike.web.pages.page_frame import ProjectOfPage, page
from lookalike.web.project.open_tables import read_rows

router = APIRouter()
PAGE_ROWS = 50


@router.get("/projects/{id}/table")
def show(request: Request, project: ProjectOfPage, at: int = 1) -> HTMLResponse:
    survey = project.survey()
    total = survey.result.get("rows") if survey else None
    pages = max(1, -(-total // PAGE_ROWS)) if total is not None else None
    at = max(1, min(at, pages or 10**9))
    start = (at - 1) * PAGE_ROWS
    # one row more than shown tells whether there is a next page
    found = read_rows(project.source, start, PAGE_ROWS + 1)
    rows = list(zip(*(column.to_pylist() for column in found.columns), strict=True))
    return page(
        request, "table.html", project=project, step="table", names=found.column_names,
        rows=rows[:PAGE_ROWS], more=len(rows) > PAGE_ROWS, at=at, start=start, total=total,
        pages=pages,
    )  # fmt: skip
