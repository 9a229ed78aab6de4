"""The table as it is, page by page, read by its engine."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from lookalike.web.open_tables import rows_of
from lookalike.web.page_frame import InProject, page

router = APIRouter()
ROWS = 50


@router.get("/projects/{id}/table")
def table(request: Request, project: InProject, at: int = 1) -> HTMLResponse:
    looked = project.looked()
    total = looked.result.get("rows") if looked else None
    pages = max(1, -(-total // ROWS)) if total is not None else None
    at = max(1, min(at, pages or 10**9))
    start = (at - 1) * ROWS
    found = rows_of(project.source, start, ROWS + 1)  # one more tells whether there is a next page
    rows = list(zip(*(column.to_pylist() for column in found.columns), strict=True))
    return page(
        request, "table.html", project=project, step="table", names=found.column_names,
        rows=rows[:ROWS], more=len(rows) > ROWS, at=at, start=start, total=total,
        pages=pages,
    )  # fmt: skip
