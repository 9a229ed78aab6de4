"""The policy while it is edited: the content of its TOML file, in which parts may be missing.

Pages change only the parts that they show; the other parts of an uploaded policy stay.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lookalike import api
from lookalike.errors import Fault, PolicyError
from lookalike.web.project.private_files import write_text
from lookalike.web.project.project import Project

SECTIONS = {  # of the policy file, with the role of their columns
    "quasi_identifiers": "quasi-identifier",
    "identifiers": "identifier",
    "sensitive": "sensitive",
    "insensitive": "insensitive",
    "pseudonyms": "pseudonym",
}
FILE_KEYS = {"tree", "table"}  # whose text is a path
COLUMN_OPTIONS = ("levels", "weight")  # of a column, next to its hierarchy

Document = dict[str, Any]


def read(project: Project) -> Document:
    """The policy as far as it has been decided."""
    if not project.policy.exists():
        return {}
    return parse(project.policy.read_text(encoding="utf-8"))


def parse(text: str) -> Document:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = f"not a valid TOML file: {error}"
        raise PolicyError(Fault("policy.toml", problem, "correct this line")) from None


def save(project: Project, document: Document) -> None:
    write_text(project.policy, dump(document))


def dump(document: Mapping[str, Any]) -> str:
    values = {key: value for key, value in document.items() if not isinstance(value, Mapping)}
    sections = {key: value for key, value in document.items() if isinstance(value, Mapping)}
    parts = [api.toml_section("", values)] if values else []
    parts += [api.toml_section(name, pairs) for name, pairs in sections.items()]
    return "\n\n".join(parts) + "\n"


def section_of(document: Document, column: str) -> str:
    """The section that gives the column its role; "" if none does."""
    return next((section for section in SECTIONS if column in document.get(section, ())), "")


def set_section(
    document: Document, column: str, section: str, hierarchy: Mapping[str, Any]
) -> None:
    """Move a column to a section; a new quasi-identifier starts with ``hierarchy``."""
    if section_of(document, column) == section:
        return
    if section not in ("sensitive", "insensitive"):
        document.get("accept", {}).pop(column, None)  # only kept columns are accepted
    for name in SECTIONS:
        columns = document.get(name)
        if isinstance(columns, dict):
            columns.pop(column, None)
        elif columns:
            document[name] = [other for other in columns if other != column]
    if section == "quasi_identifiers":
        document.setdefault(section, {})[column] = dict(hierarchy)
    elif section:
        document[section] = [*document.get(section, []), column]


def hierarchy_part(spec: Document) -> Document:
    """What a column says about its hierarchy alone."""
    return {key: value for key, value in spec.items() if key not in COLUMN_OPTIONS}


def draft(columns: list[Mapping[str, Any]]) -> Document:
    """A proposal for a table, from the survey of its columns."""
    document: Document = {"identifiers": [], "sensitive": [], "insensitive": []}
    document["quasi_identifiers"] = {}
    for column in columns:
        set_section(document, column["name"], column["role"], column["hierarchy"])
    document["require"] = {"k_anonymity": 5}
    document["spend"] = {"metric": "loss", "suppress": 0.02}
    document["search"] = {"by": "auto", "seconds": 300.0}
    return document


def check_no_files(document: Mapping[str, Any]) -> None:
    """Refuse paths: the server would read the file with the rights of the user who started it."""
    faults = []
    for where, key, value in _values(document):
        is_path = key in FILE_KEYS and isinstance(value, str)
        if is_path or (key == "by" and (not isinstance(value, str) or ":" in value)):
            fix = "write trees into the policy itself; for anything else use lookalike run"
            faults.append(Fault(where, "a policy of the studio cannot name files or options", fix))
    if faults:
        raise PolicyError(faults)


def _values(part: Any, where: str = "", key: str = "") -> Iterator[tuple[str, str, Any]]:
    """All values with their place and key; a list has the key of its section."""
    if isinstance(part, Mapping):
        for name, value in part.items():
            yield from _values(value, f"{where}.{name}" if where else str(name), str(name))
    else:
        yield where, key, part
        if isinstance(part, list):
            for number, value in enumerate(part, 1):
                if isinstance(value, Mapping):
                    yield from _values(value, f"{where}.{number}")


def check(document: Document, project: Project) -> None:
    """Raise PolicyError with the faults that the command line would find, roles included."""
    check_no_files(document)
    policy = api.parse_policy_file(dump(document), project.folder).policy
    survey = project.survey()
    names = [column["name"] for column in survey.result["columns"]] if survey else []
    if faults := policy.faults(tuple(names)):
        raise PolicyError(faults)


def self_contained(document: Document, project: Project) -> str:
    """The policy as a file that needs no other file; PolicyError with all its faults."""
    check_no_files(document)
    parsed = api.parse_policy_file(dump(document), project.folder)
    policy = parsed.policy
    hierarchies = {
        name: replace(hierarchy, source=None) if isinstance(hierarchy, api.Tree) else hierarchy
        for name, hierarchy in policy.quasi_identifiers.items()
    }
    return api.policy_file_text(replace(policy, quasi_identifiers=hierarchies), parsed.search)
