"""The option ``--hierarchy``: ``bands:5,10,20``, ``tree:job.csv``, or as in a policy file."""

from __future__ import annotations

import tomllib
from pathlib import Path

from lookalike import api
from lookalike.errors import Fault, PolicyError

EXAMPLES = (
    "use bands:5,10,20, prefix, prefix:1,3, dates, dates:quarters, dates:%d.%m.%Y, tree:FILE.csv, "
    "ordered:low,mid,high or flat, or as in a policy file: '{ bands = [5, 10], start = 2 }'"
)


def read_hierarchy(name: str, text: str) -> api.Hierarchy:
    """The hierarchy of ``--hierarchy NAME=text``; paths are relative to the current folder."""
    where = f"--hierarchy {name}"
    spec = _toml(text) if text.startswith("{") else _short(text)
    if spec is None:
        raise PolicyError(Fault(where, "this is not a hierarchy", EXAMPLES))
    return api.hierarchy_from_dict(spec, base=Path(), where=where)


def _toml(given: str) -> dict[str, object] | None:
    try:
        spec = tomllib.loads(f"given = {given}")["given"]
    except tomllib.TOMLDecodeError:
        return None
    return spec if isinstance(spec, dict) else None


def _short(given: str) -> dict[str, object] | None:
    kind, colon, rest = given.partition(":")
    parts = [part.strip() for part in rest.split(",") if part.strip()]
    match kind.strip():
        case "bands" | "ordered" as one:
            return {one: parts}
        case "tree":
            return {"tree": rest}
        case "flat" if not colon:
            return {"flat": True}
        case "prefix":
            return _prefix(parts)
        case "dates":
            return _dates(rest, parts)
    return None


def _prefix(parts: list[str]) -> dict[str, object] | None:
    sides = [part for part in parts if part in ("left", "right")]
    steps = [part for part in parts if part not in sides]
    if len(sides) > 1 or not all(step.isascii() and step.isdigit() for step in steps):
        return None
    spec: dict[str, object] = {"prefix": True}
    if steps:
        spec["steps"] = [int(step) for step in steps]
    if sides:
        spec["hide"] = sides[0]
    return spec


def _dates(rest: str, parts: list[str]) -> dict[str, object] | None:
    spec: dict[str, object] = {"dates": True}
    if "%" in rest:
        return spec | {"format": rest}
    if not set(parts) <= {"days", "quarters"}:
        return None
    return spec | dict.fromkeys(parts, True)
