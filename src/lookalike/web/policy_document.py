"""A policy while it is being made: the document of its TOML file, which may lack parts yet.

The pages change parts of it, and whatever no page knows of (an uploaded policy may say more) stays.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lookalike.errors import Fault, PolicyError
from lookalike.policy.hierarchies import Tree
from lookalike.policy.policy_file import dumps, loads
from lookalike.policy.toml_writer import toml_section
from lookalike.web.private_files import write_text
from lookalike.web.project import Project

ROLES = ("quasi_identifiers", "identifiers", "sensitive", "insensitive")
FILES = {"tree", "table"}  # keys whose text is a path
BESIDE = ("levels", "weight")  # what is said of a column beside its hierarchy

Document = dict[str, Any]


def read(project: Project) -> Document:
    """As far as it has been said; a file that does not read is a fault of the policy."""
    if not project.policy.exists():
        return {}
    return parse(project.policy.read_text(encoding="utf-8"))


def parse(text: str) -> Document:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(Fault("policy.toml", f"not TOML: {error}", "mend the line")) from None


def save(project: Project, document: Document) -> None:
    write_text(project.policy, dump(document))


def dump(document: Mapping[str, Any]) -> str:
    plain = {key: one for key, one in document.items() if not isinstance(one, Mapping)}
    sections = {key: one for key, one in document.items() if isinstance(one, Mapping)}
    parts = [toml_section("", plain)] if plain else []
    parts += [toml_section(name, pairs) for name, pairs in sections.items()]
    return "\n\n".join(parts) + "\n"


def role_of(document: Document, column: str) -> str:
    """The column's role; "pseudonyms" if a policy file says so, "" if none has been chosen."""
    return next((r for r in (*ROLES, "pseudonyms") if column in document.get(r, ())), "")


def set_role(document: Document, column: str, role: str, hierarchy: Mapping[str, Any]) -> None:
    """Move a column; one that becomes a quasi-identifier begins with ``hierarchy``."""
    if role_of(document, column) == role:
        return
    for one in (*ROLES, "pseudonyms"):
        held = document.get(one)
        if isinstance(held, dict):
            held.pop(column, None)
        elif held:
            document[one] = [name for name in held if name != column]
    if role == "quasi_identifiers":
        document.setdefault(role, {})[column] = dict(hierarchy)
    elif role in ROLES:
        document[role] = [*document.get(role, []), column]


def begin(columns: list[Mapping[str, Any]]) -> Document:
    """What is proposed for a table: an editable draft, in the order of its columns."""
    document: Document = {role: [] for role in ROLES[1:]}
    document["quasi_identifiers"] = {}
    for one in columns:
        set_role(document, one["name"], one["role"], one["hierarchy"])
    document["require"] = {"k_anonymity": 5}
    document["spend"] = {"metric": "loss", "suppress": 0.02}
    document["search"] = {"by": "auto", "seconds": 300.0}
    return document


def check_no_files(document: Mapping[str, Any]) -> None:
    """A file that it names would be read with the rights of whoever runs the server."""
    found = []
    for where, key, value in _leaves(document):
        named = key in FILES and isinstance(value, str)
        if named or (key == "by" and (not isinstance(value, str) or ":" in value)):
            fix = "write trees out in the policy; for anything else use lookalike run"
            found.append(Fault(where, "a policy of the studio cannot name files or options", fix))
    if found:
        raise PolicyError(found)


def _leaves(part: Any, where: str = "", key: str = "") -> Iterator[tuple[str, str, Any]]:
    """Whatever is no section, with its place and its key; a list has the key of its section."""
    if isinstance(part, Mapping):
        for name, one in part.items():
            yield from _leaves(one, f"{where}.{name}" if where else str(name), str(name))
    else:
        yield where, key, part
        if isinstance(part, list):
            for at, one in enumerate(part):
                yield from _leaves(one, f"{where}.{at + 1}", "") if isinstance(one, Mapping) else ()


def check(document: Document, project: Project) -> None:
    """As the command line would, before anything is done: roles of every column included."""
    check_no_files(document)
    policy = loads(dump(document), project.folder).policy
    job = project.looked()
    names = [one["name"] for one in job.result["columns"]] if job else []
    if found := policy.faults(tuple(names)):
        raise PolicyError(found)


def whole(document: Document, project: Project) -> str:
    """The policy as a file that needs no other, or every fault of it."""
    check_no_files(document)
    read_back = loads(dump(document), project.folder)
    policy = read_back.policy
    alone = {
        name: replace(one, source=None) if isinstance(one, Tree) else one
        for name, one in policy.quasi_identifiers.items()
    }
    return dumps(replace(policy, quasi_identifiers=alone), read_back.search)
