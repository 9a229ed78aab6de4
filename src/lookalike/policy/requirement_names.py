"""Requirements by the names that a policy file gives them.

``k_anonymity = 5`` and the like are one number; others are a table, or a list of tables:
``l_diversity = [{ column = "diagnosis", l = 3, kind = "distinct" }]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_keys, unknown_word
from lookalike.privacy.requirement import Requirement
from lookalike.registry import REQUIREMENTS


def requirements_from(
    section: Mapping[str, object], base: Path = Path()
) -> tuple[Requirement, ...]:
    """The requirements of the [require] section; paths of trees are relative to ``base``."""
    faults: list[Fault] = []
    require: list[Requirement] = []
    if {"k_anonymity", "anonymity_level"} <= section.keys():
        problem = "k_anonymity and anonymity_level both set k"
        faults.append(Fault("require", problem, "keep one of the two"))
    for key, given in section.items():
        if key not in REQUIREMENTS:
            place = f"require.{key}"
            faults.append(unknown_word(place, "no such key", key, REQUIREMENTS.names))
            continue
        kind: type[Requirement] = REQUIREMENTS.load(key)
        several = bool(kind.required_keys) and isinstance(given, list)
        for number, spec in enumerate(given if isinstance(given, list) and several else [given], 1):
            place = f"require.{key}.{number}" if several else f"require.{key}"
            try:
                require.append(_requirement(kind, spec, place, base))
            except PolicyError as error:
                faults += error.faults
    if faults:
        raise PolicyError(faults)
    return tuple(require)


def _requirement(kind: type[Requirement], spec: Any, place: str, base: Path) -> Requirement:
    """The requirement of one number or one table, or all its faults."""
    use = f"use {kind.example}"
    if kind.required_keys:
        if not isinstance(spec, Mapping):
            raise PolicyError(Fault(place, "not a table", use))
        faults = unknown_keys(place, spec, (*kind.required_keys, *kind.optional_keys))
        missing = [key for key in kind.required_keys if key not in spec]
        if missing:
            faults.append(Fault(place, f"{', '.join(missing)} missing", use))
        if not isinstance(spec.get("column", ""), str):
            faults.append(Fault(f"{place}.column", "not the name of a column", use))
        if faults:
            raise PolicyError(faults)
    try:
        return kind.from_policy(spec, base)
    except PolicyError as error:
        raise error.within(place) from None
    except (TypeError, ValueError) as error:
        raise PolicyError(Fault(place, str(error), use)) from None


def requirements_to(require: Sequence[Requirement], *, whole: bool = False) -> Mapping[str, object]:
    """The [require] section: the inverse of ``requirements_from``.

    With ``whole``, trees are written out even if they came from a file: for the certificate.
    """
    section: dict[str, Any] = {}
    for rule in require:
        if rule.key not in REQUIREMENTS:
            problem = f"{type(rule).__name__} has no name in policy files"
            fix = f"use one of: {', '.join(REQUIREMENTS.names)}"
            raise PolicyError(Fault("require", problem, fix))
        spec = rule.to_policy(whole=whole)
        if not rule.required_keys:
            stricter = max if rule.larger_is_stricter else min  # it includes the other
            section[rule.key] = stricter(spec, section.get(rule.key, spec))
        elif rule.once:
            section[rule.key] = spec
        else:
            section.setdefault(rule.key, []).append(spec)
    return section
