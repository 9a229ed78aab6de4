"""What can be taken away: the release and all that goes with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from fastapi import APIRouter, HTTPException
from fastapi.responses import FileResponse, Response, StreamingResponse

from lookalike.web.page_frame import InProject, TheRun
from lookalike.web.spreadsheet_formulas import guarded

router = APIRouter()
LINES = 5_000
KINDS = {
    "release": ("release.csv", "release.parquet"),
    "certificate": ("release.csv.certificate.json", "release.parquet.certificate.json"),
    "report": ("report-internal.html",),
    "public-report": ("report-public.html",),
    "policy": ("policy.toml",),
    "solution": ("solution.json",),
}


@router.get("/projects/{id}/runs/{name}/{what}", response_model=None)
def download(project: InProject, job: TheRun, what: str) -> Response:
    """Always to be saved, never shown: a report is a page, but none of this server's."""
    if job.state != "done":
        raise HTTPException(404)
    if what == "spreadsheet" and (job.folder / "release.csv").exists():
        return StreamingResponse(
            _lines(job.folder / "release.csv"),
            media_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": 'attachment; filename="release-for-spreadsheets.csv"'},
        )
    for one in KINDS.get(what, ()):
        if (job.folder / one).exists():
            return FileResponse(
                job.folder / one, media_type="application/octet-stream", filename=one
            )
    raise HTTPException(404)


def _lines(path: Path) -> Iterator[str]:
    """Many lines at a time: each piece that is sent costs more than it holds."""
    lines = guarded(path)
    while piece := "".join(islice(lines, LINES)):
        yield piece
