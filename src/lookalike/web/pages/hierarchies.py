"""The pages on which the user chooses how each column is generalized, with a live preview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import FormData, UploadFile

from lookalike import api
from lookalike.errors import Fault, LookalikeError, PolicyError
from lookalike.registry import HIERARCHIES
from lookalike.web.pages import form_reading as forms
from lookalike.web.pages.page_frame import FormOfPage, ProjectOfPage, page, redirect
from lookalike.web.project import policy_document as document
from lookalike.web.project.private_files import read_json
from lookalike.web.project.project import Project

router = APIRouter()
IDENTIFYING_SHARE = 0.5  # distinct values per row, above which a kept column may single people out
PREVIEW_VALUES = 12  # shown at each level
OTHER_OPTIONS = ("show", "distort", "identifying")  # of a policy file, which no page edits
KINDS = (
    ("bands", "Bands of numbers", "ages, amounts: 34 becomes 30–34, then 30–39"),
    ("dates", "Dates", "a day becomes its month, its year, 5 years, 10 years"),
    ("prefix", "Leading characters of a code", "postal codes: 21401 becomes 2140*, then 214**"),
    ("tree", "A tree of groups", "groups that you define: a town, its county, its state"),
    ("ordered", "Ordered values", "for example low, middle, high"),
    ("flat", "Unchanged or hidden", "few values, for example sex: shown unchanged, or as *"),
)


def _kinds() -> list[tuple[str, str, str]]:
    """Name, title and example of every hierarchy; those of other packages are typed as TOML."""
    added = [kind for name, kind in HIERARCHIES.usable().items() if HIERARCHIES.package(name)]
    return [*KINDS, *((kind.name, kind.name, f"{kind.name} = {kind.example}") for kind in added)]


class Tabulated(NamedTuple):
    """A hierarchy applied to the values of its column."""

    hierarchy: api.Hierarchy
    table: api.LevelTable
    values: list[str | None]

    @property
    def levels(self) -> list[tuple[str, int]]:
        """Each level in words, and how many different values it shows."""
        heights = range(self.table.height + 1)
        names = [*map(self.hierarchy.describe, heights[:-1]), "hidden (*)"]
        counts = [len(set(self.table.codes[:, level].tolist())) for level in heights]
        return list(zip(names, counts, strict=True))


@router.get("/projects/{id}/hierarchies", response_model=None)
def overview(request: Request, project: ProjectOfPage) -> HTMLResponse | RedirectResponse:
    policy = document.read(project)
    if not policy:
        return redirect(f"/projects/{project.id}/columns")
    numbers = {name: number for number, name in enumerate(_column_names(project))}
    rows = []
    for name, spec in policy.get("quasi_identifiers", {}).items():
        if name in numbers:
            tabulated, faults = _tabulate(project, numbers[name], name, spec)
            levels = tabulated.levels if tabulated else []
            rows.append({"name": name, "number": numbers[name], "levels": levels, "faults": faults})
    return page(
        request, "hierarchies.html", project=project, step="hierarchies", rows=rows,
        identifying=_identifying_columns(project, policy),
    )  # fmt: skip


def _identifying_columns(project: Project, policy: document.Document) -> list[str]:
    """Columns kept unchanged in which most rows have a value of their own."""
    survey = project.survey()
    kept = {*policy.get("sensitive", ()), *policy.get("insensitive", ())}
    result: dict[str, Any] = survey.result if survey else {"rows": 0, "columns": []}
    return [
        column["name"] for column in result["columns"]
        if column["name"] in kept and column["values"] > IDENTIFYING_SHARE * result["rows"]
    ]  # fmt: skip


@router.get("/projects/{id}/columns/{number}")
def edit(request: Request, project: ProjectOfPage, number: int) -> HTMLResponse:
    spec = document.read(project)["quasi_identifiers"][_column_name(project, number)]
    return _editor(request, project, number, spec, *_preview(project, number, spec))


@router.post("/projects/{id}/columns/{number}/preview")
def preview(
    request: Request, project: ProjectOfPage, number: int, form: FormOfPage
) -> HTMLResponse:
    """The preview of what the form says now, which may still be wrong."""
    name = _column_name(project, number)
    try:
        shown, faults = _preview(project, number, _form_spec(project, number, form))
    except LookalikeError as error:
        shown, faults = None, error.faults
    return page(request, "_preview.html", faults=faults, project=project, name=name, preview=shown)


@router.post("/projects/{id}/columns/{number}", response_model=None)
def save(
    request: Request, project: ProjectOfPage, number: int, form: FormOfPage
) -> HTMLResponse | RedirectResponse:
    name = _column_name(project, number)
    policy = document.read(project)
    earlier = policy["quasi_identifiers"][name]
    try:
        spec = _form_spec(project, number, form)
    except LookalikeError as error:
        return _editor(request, project, number, earlier, None, error.faults, 400)
    shown, faults = _preview(project, number, spec)
    if faults:
        return _editor(request, project, number, spec, shown, faults, 400)
    kept = {key: value for key, value in earlier.items() if key in OTHER_OPTIONS}
    policy["quasi_identifiers"][name] = spec | kept
    document.save(project, policy)
    return redirect(f"/projects/{project.id}/hierarchies")


def _form_spec(project: Project, number: int, form: FormData) -> dict[str, Any]:
    """The hierarchy of the form, with the number of the coarsest level in place of "top"."""
    upload = form.get("tree_file")
    tree = upload.file.read() if isinstance(upload, UploadFile) and upload.filename else None
    spec = forms.hierarchy(form, tree)
    if spec.get("levels", [0, 0])[1] == forms.TOP:
        hierarchy = document.hierarchy_part(spec)
        tabulated, _ = _tabulate(project, number, _column_name(project, number), hierarchy)
        spec["levels"] = [spec["levels"][0], tabulated.table.height if tabulated else 1]
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
    tree = spec.get("tree", [])
    if not isinstance(tree, list):  # groups, or the name of a file
        tree = getattr(api.hierarchy_from_dict({"tree": tree}, base=project.folder), "rows", ())
    return page(
        request, "hierarchy.html", status, faults, project=project, step="hierarchies",
        name=_column_name(project, number), number=number, kinds=_kinds(), spec=spec, preview=shown,
        kind=next((kind for kind, *_ in _kinds() if kind in spec), "flat"),
        typed=api.toml_section("", document.hierarchy_part(spec)),
        tree="\n".join(";".join(map(str, row)) for row in tree),
    )  # fmt: skip


def _preview(
    project: Project, number: int, spec: dict[str, Any]
) -> tuple[dict[str, Any] | None, Sequence[Fault]]:
    """The levels, and some frequent values at each of them."""
    tabulated, faults = _tabulate(project, number, _column_name(project, number), spec)
    if tabulated is None:
        return None, faults
    table, column = tabulated.table, _column_survey(project, number)
    leaves = {value: leaf for leaf, value in enumerate(tabulated.values)}
    frequent = [leaves[value] for value, _ in column["frequent"] if value in leaves]
    rows = [
        [table.labels[level][table.codes[leaf, level]] for level in range(table.height + 1)]
        for leaf in sorted(frequent[:PREVIEW_VALUES])
    ]
    return {"levels": tabulated.levels, "rows": rows, "sampled": column["sampled"]}, faults


def _tabulate(
    project: Project, number: int, name: str, spec: dict[str, Any]
) -> tuple[Tabulated | None, Sequence[Fault]]:
    """The hierarchy over the values of the column, and what is wrong with it."""
    column = _column_survey(project, number)
    values: list[str | None] = [*column["values"], *([None] if column["nulls"] else [])]
    try:
        options = (*document.COLUMN_OPTIONS, *OTHER_OPTIONS)
        hierarchy = api.hierarchy_from_dict(spec, base=project.folder, where=name, beside=options)
        table = hierarchy.tabulate(name, values)
    except PolicyError as error:
        return None, error.faults
    faults = []
    low, high = spec.get("levels", [0, table.height])
    if not (isinstance(low, int) and isinstance(high, int) and 0 <= low <= high <= table.height):
        fix = f"use levels from 0 to {table.height}, the lowest first"
        faults.append(Fault(f"{name}.levels", "there are no such levels", fix))
    weight = spec.get("weight", 1)
    if isinstance(weight, str) or not weight > 0:
        fix = "use for example 1, or 2 for twice the weight"
        faults.append(Fault(f"{name}.weight", "not a number above 0", fix))
    return Tabulated(hierarchy, table, values), faults


def _column_names(project: Project) -> list[str]:
    survey = project.survey()
    return [column["name"] for column in survey.result.get("columns", [])] if survey else []


def _column_name(project: Project, number: int) -> str:
    """The quasi-identifier with this number in the table."""
    names = _column_names(project)
    quasi_identifiers = document.read(project).get("quasi_identifiers", {})
    if not 0 <= number < len(names) or names[number] not in quasi_identifiers:
        raise HTTPException(404)
    return names[number]


def _column_survey(project: Project, number: int) -> dict[str, Any]:
    survey = project.survey()
    assert survey is not None
    return dict(read_json(survey.folder / f"column-{number}.json"))
