"""Requirements as a flag gives them: ``--require l_diversity:diagnosis=3:kind=entropy``.

The name that a policy file has for it, the column if it speaks of one, its number, and what else
there is to say; read into what the file would hold, and by the same reader.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Any

from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_word
from lookalike.policy.requirement_names import requirements_from
from lookalike.privacy.requirement import Requirement
from lookalike.registry import REQUIREMENTS

EXAMPLE = "--require l_diversity:diagnosis=3, --require t_closeness:salary=0.2:distance=ordered"


def read_requirements(given: Iterable[str]) -> tuple[Requirement, ...]:
    """All flags, or every fault in them."""
    require: list[Requirement] = []
    found: list[Fault] = []
    for one in given:
        try:
            require += requirements_from(_section(one))
        except PolicyError as error:
            for fault in error.faults:
                where = "--" + fault.where.removeprefix("--")
                found.append(Fault(where, fault.problem, fault.fix))
    if found:
        raise PolicyError(found)
    return tuple(require)


def _section(text: str) -> dict[str, Any]:
    """As the [require] section would hold it."""
    if "{" in text:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            raise PolicyError(Fault("--require", "not TOML", f"as in {EXAMPLE}")) from None
    head, equals, rest = text.partition("=")
    name, _, column = head.strip().partition(":")
    if not equals:
        raise PolicyError(Fault("--require", "it gives no number", f"as in {EXAMPLE}"))
    if name not in REQUIREMENTS:
        raise PolicyError(
            unknown_word("--require", "no such requirement", name, REQUIREMENTS.names)
        )
    kind: type[Requirement] = REQUIREMENTS.load(name)
    number, *more = rest.split(":")
    if not kind.required_keys:
        if column or more:
            fix = f"use {kind.example}"
            raise PolicyError(Fault(f"--require {name}", "it takes a number alone", fix))
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
