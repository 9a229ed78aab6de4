"""The option ``--require``, for example ``l_diversity:diagnosis=3:kind=entropy``.

The parts are the name in a policy file, the column if there is one, the number, and further
options. They are turned into a section of a policy file and read in the same way.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Any

from lookalike import api
from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_word
from lookalike.registry import REQUIREMENTS

EXAMPLE = "--require l_diversity:diagnosis=3, --require t_closeness:salary=0.2:distance=ordered"


def read_requirements(given: Iterable[str]) -> tuple[api.Requirement, ...]:
    """The requirements, or every fault in them."""
    require: list[api.Requirement] = []
    found: list[Fault] = []
    for one in given:
        try:
            require += api.requirements_from(_section(one))
        except PolicyError as error:
            for fault in error.faults:
                where = "--" + fault.where.removeprefix("--")
                found.append(Fault(where, fault.problem, fault.fix))
    if found:
        raise PolicyError(found)
    return tuple(require)


def _section(text: str) -> dict[str, Any]:
    """The text as a [require] section of a policy file."""
    if "{" in text:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            raise PolicyError(Fault("--require", "not TOML", f"for example {EXAMPLE}")) from None
    head, equals, rest = text.partition("=")
    name, _, column = head.strip().partition(":")
    if not equals:
        raise PolicyError(Fault("--require", "the number is missing", f"for example {EXAMPLE}"))
    if name not in REQUIREMENTS:
        fault = unknown_word("--require", "no such requirement", name, REQUIREMENTS.names)
        raise PolicyError(fault)
    kind: type[api.Requirement] = REQUIREMENTS.load(name)
    number, *more = rest.split(":")
    if not kind.required_keys:
        if column or more:
            fix = f"use {kind.example}"
            raise PolicyError(Fault(f"--require {name}", "it takes only a number", fix))
        return {name: _value(number)}
    [main, *_] = [key for key in kind.required_keys if key != "column"]
    spec: dict[str, Any] = {main: _value(number)}
    if column:
        spec["column"] = column
    for option in more:
        key, _, value = option.partition("=")
        spec[key.strip()] = value if key.strip() in ("value", "tree") else _value(value)
    return {name: spec}


def _value(text: str) -> object:
    """A number if it is one."""
    for read in (int, float):
        try:
            return read(text.strip())
        except ValueError:
            continue
    return text.strip()
