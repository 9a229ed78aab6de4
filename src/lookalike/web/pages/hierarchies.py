"""How each column gets coarser, with a preview that follows what is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import FormData, UploadFile

from lookalike.counts.level_table import LevelTable
from lookalike.errors import Fault, LookalikeError, PolicyError
from lookalike.policy.hierarchies.policy_file_form import from_dict
from lookalike.policy.hierarchy import Hierarchy
from lookalike.web import form_reading as forms
from lookalike.web import policy_document as document
from lookalike.web.page_frame import Form, InProject, page, to
from lookalike.web.private_files import read_json
from lookalike.web.project import Project

router = APIRouter()
NEARLY_ALL = 0.5  # of the rows, with a value of their own
EXAMPLES = 12  # values followed up the levels
KINDS = (
    ("bands", "Bands of numbers", "ages, amounts: 34 becomes 30–34, then 30–39"),
    ("dates", "Dates", "a day becomes its month, its year, five years, ten years"),
    ("prefix", "Codes, from the left", "postal codes: 21401 becomes 2140*, then 214**"),
    ("tree", "A tree of groups", "groups that you name: a town, its county, its state"),
    ("ordered", "An order", "words that have one: low, middle, high"),
    ("flat", "As it is, or nothing", "few values, as sex: shown as it is, or as *"),
)


@router.get("/projects/{id}/hierarchies", response_model=None)
def overview(request: Request, project: InProject) -> HTMLResponse | RedirectResponse:
    said = document.read(project)
    if not said:
        return to(f"/projects/{project.id}/columns")
    numbers = {name: number for number, name in enumerate(_names(project))}
    rows = []
    for name, spec in said.get("quasi_identifiers", {}).items():
        if name in numbers:
            held, faults = _tabulated(project, numbers[name], name, spec)
            levels = _described(*held) if held else []
            rows.append({"name": name, "number": numbers[name], "levels": levels, "faults": faults})
    return page(
        request, "hierarchies.html", project=project, step="hierarchies", rows=rows,
        telling=_telling(project, said),
    )  # fmt: skip


def _telling(project: Project, said: document.Document) -> list[str]:
    """Columns that are kept as they are, though nearly every row has a value of its own there."""
    job = project.looked()
    kept = {*said.get("sensitive", ()), *said.get("insensitive", ())}
    facts: dict[str, Any] = job.result if job else {"rows": 0, "columns": []}
    return [
        one["name"] for one in facts["columns"]
        if one["name"] in kept and one["values"] > NEARLY_ALL * facts["rows"]
    ]  # fmt: skip


@router.get("/projects/{id}/columns/{number}")
def edit(request: Request, project: InProject, number: int) -> HTMLResponse:
    name = _name(project, number)
    spec = document.read(project)["quasi_identifiers"][name]
    return _editor(request, project, number, spec, *_preview(project, number, spec))


@router.post("/projects/{id}/columns/{number}/preview")
def preview(request: Request, project: InProject, number: int, form: Form) -> HTMLResponse:
    """What the form says now, and it need not be right yet."""
    name = _name(project, number)
    try:
        spec = _said(project, number, form)
        shown, faults = _preview(project, number, spec)
    except LookalikeError as error:
        shown, faults = None, error.faults
    return page(request, "_preview.html", faults=faults, project=project, name=name, preview=shown)


@router.post("/projects/{id}/columns/{number}", response_model=None)
def save(
    request: Request, project: InProject, number: int, form: Form
) -> HTMLResponse | RedirectResponse:
    name = _name(project, number)
    before = document.read(project)
    try:
        spec = _said(project, number, form)
    except LookalikeError as error:
        old = before["quasi_identifiers"][name]
        return _editor(request, project, number, old, None, error.faults, 400)
    shown, faults = _preview(project, number, spec)
    if faults:
        return _editor(request, project, number, spec, shown, faults, 400)
    others = before["quasi_identifiers"][name].items()
    kept = {key: one for key, one in others if key in ("show", "distort", "identifying")}
    before["quasi_identifiers"][name] = spec | kept
    document.save(project, before)
    return to(f"/projects/{project.id}/hierarchies")


def _said(project: Project, number: int, form: FormData) -> dict[str, Any]:
    """The form's hierarchy, with the number of the coarsest level where it says "top"."""
    sent = form.get("tree_file")
    tree = sent.file.read() if isinstance(sent, UploadFile) and sent.filename else None
    spec = forms.hierarchy(form, tree)
    if spec.get("levels", [0, 0])[1] == forms.TOP:
        plain = {key: one for key, one in spec.items() if key not in document.BESIDE}
        held, _ = _tabulated(project, number, _name(project, number), plain)
        spec["levels"] = [spec["levels"][0], held[1].height if held else 1]
    return spec


def _editor(
    request: Request,
    project: Project,
    number: int,
    spec: dict[str, Any],
    shown: dict[str, Any] | None,
    faults: Sequence[Fault],
    status: int = 200,
) -> HTMLResponse:
    name = _name(project, number)
    kind = next((one for one, *_ in KINDS if one in spec), "flat")
    tree = spec.get("tree", [])
    rows = tree if isinstance(tree, list) else _rows_of(project, spec)
    return page(
        request, "hierarchy.html", status, faults, project=project, step="hierarchies", name=name,
        number=number, kinds=KINDS, kind=kind, spec=spec, preview=shown,
        tree="\n".join(";".join(map(str, row)) for row in rows),
        listed=_listed, frequent=_column(project, number)["frequent"],
    )  # fmt: skip


def _rows_of(project: Project, spec: dict[str, Any]) -> Sequence[Sequence[str]]:
    """The rows of a tree that is written as groups, or lies in a file."""
    plain = {key: one for key, one in spec.items() if key == "tree"}
    rows: Sequence[Sequence[str]] = getattr(from_dict(plain, base=project.folder), "rows", ())
    return rows


def _listed(given: object) -> str:
    return ", ".join(map(str, given)) if isinstance(given, list) else ""


def _preview(
    project: Project, number: int, spec: dict[str, Any]
) -> tuple[dict[str, Any] | None, Sequence[Fault]]:
    """A ladder of levels, with a few values on their way up."""
    name = _name(project, number)
    held, faults = _tabulated(project, number, name, spec)
    if held is None:
        return None, faults
    _, table, values = held
    frequent = [value for value, _ in _column(project, number)["frequent"]]
    place = {value: at for at, value in enumerate(values)}
    shown = [place[value] for value in frequent if value in place][:EXAMPLES]
    shown = sorted(shown, key=lambda at: at)
    rows = [
        [table.labels[level][table.codes[at, level]] for level in range(table.height + 1)]
        for at in shown
    ]
    column = _column(project, number)
    preview = {"levels": _described(*held), "rows": rows, "sampled": column["sampled"]}
    return preview, faults


Held = tuple[Hierarchy, LevelTable, list[str | None]]


def _tabulated(
    project: Project, number: int, name: str, spec: dict[str, Any]
) -> tuple[Held | None, Sequence[Fault]]:
    """The hierarchy over the values that occur."""
    column = _column(project, number)
    values: list[str | None] = [*column["values"], *([None] if column["nulls"] else [])]
    try:
        hierarchy = from_dict(
            spec, base=project.folder, where=name,
            beside=("levels", "weight", "show", "distort", "identifying"),
        )  # fmt: skip
        table = hierarchy.tabulate(name, values)
    except PolicyError as error:
        return None, error.faults
    faults = []
    low, high = spec.get("levels", [0, table.height])
    if not (isinstance(low, int) and isinstance(high, int) and 0 <= low <= high <= table.height):
        fix = f"use levels from 0 to {table.height}, the finest first"
        faults.append(Fault(f"{name}.levels", "there are no such levels", fix))
    weight = spec.get("weight", 1)
    if isinstance(weight, str) or not weight > 0:
        faults.append(
            Fault(f"{name}.weight", "not a number above 0", "use 1, or 2 for twice as much")
        )
    return (hierarchy, table, values), faults


def _described(
    hierarchy: Hierarchy, table: LevelTable, values: list[str | None]
) -> list[tuple[str, int]]:
    """Each level in words, and how many values it tells apart."""
    told = [hierarchy.describe(level) for level in range(table.height)] + ["nothing (*)"]
    many = [len(set(table.codes[:, level].tolist())) for level in range(table.height + 1)]
    return list(zip(told, many, strict=True))


def _names(project: Project) -> list[str]:
    job = project.looked()
    return [one["name"] for one in job.result.get("columns", [])] if job else []


def _name(project: Project, number: int) -> str:
    names = _names(project)
    said = document.read(project)
    if not 0 <= number < len(names) or names[number] not in said.get("quasi_identifiers", {}):
        raise HTTPException(404)
    return names[number]


def _column(project: Project, number: int) -> dict[str, Any]:
    job = project.looked()
    assert job is not None
    return dict(read_json(job.folder / f"column-{number}.json"))
