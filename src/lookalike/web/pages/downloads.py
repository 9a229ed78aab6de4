"""Downloads: the release and the files that go with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from fastapi import APIRouter, HTTPException
from fastapi.responses import FileResponse, Response, StreamingResponse

from lookalike.web.pages.page_frame import CandidateOfPage, ProjectOfPage
from lookalike.web.project.spreadsheet_formulas import lines_without_formulas

router = APIRouter()
LINES_PER_CHUNK = 5_000
FILES = {
    "release": ("release.csv", "release.parquet"),
    "certificate": ("release.csv.certificate.json", "release.parquet.certificate.json"),
    "report": ("report-internal.html",),
    "public-report": ("report-public.html",),
    "policy": ("policy.toml",),
    "solution": ("solution.json",),
}


@router.get("/projects/{id}/runs/{name}/{what}", response_model=None)
def download(project: ProjectOfPage, job: CandidateOfPage, what: str) -> Response:
    """Files are always saved, never shown: a report must not run as a page of this server."""
    if job.state != "done":
        raise HTTPException(404)
    if what == "spreadsheet" and (job.folder / "release.csv").exists():
        return StreamingResponse(
            _chunks(job.folder / "release.csv"),
            media_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": 'attachment; filename="release-for-spreadsheets.csv"'},
        )
    for name in FILES.get(what, ()):
        path = job.folder / name
        if path.exists():
            return FileResponse(path, media_type="application/octet-stream", filename=name)
    raise HTTPException(404)


def _chunks(path: Path) -> Iterator[str]:
    """Many lines at a time, because sending single lines is slow."""
    lines = lines_without_formulas(path)
    while chunk := "".join(islice(lines, LINES_PER_CHUNK)):
        yield chunk
