"""A hierarchy as a policy file writes it, read back: ``{"bands": [5, 10, 20]}``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from lookalike.errors import Fault, PolicyError
from lookalike.policy.hierarchies.bands import bands
from lookalike.policy.hierarchies.dates import dates
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchies.ordered import ordered
from lookalike.policy.hierarchies.prefix import Side, prefix
from lookalike.policy.hierarchies.tree import tree
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.name_suggestions import unknown_keys, unknown_word

Spec = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A hierarchy's own key, the keys that may stand beside it, and how to build it."""

    build: Callable[[Spec, Path], Hierarchy]
    options: tuple[str, ...] = ()
    example: str = "true"


def from_dict(
    spec: Spec,
    *,
    base: Path = Path(),
    where: str = "hierarchy",
    beside: tuple[str, ...] = (),
) -> Hierarchy:
    """The inverse of ``Hierarchy.to_dict``; paths of trees are relative to ``base``.

    Keys named in ``beside`` may stand in ``spec`` too; they are somebody else's to read.
    """
    named = [key for key in spec if key in KINDS]
    if not named:
        word = next(iter(spec), "")
        raise PolicyError(unknown_word(where, "it names no hierarchy", word, KINDS))
    if len(named) > 1:
        problem = f"it names {len(named)} hierarchies: {', '.join(named)}"
        raise PolicyError(Fault(where, problem, "keep one of them"))
    kind = KINDS[named[0]]
    found = unknown_keys(where, spec, (named[0], *kind.options, *beside))
    try:
        hierarchy = kind.build(spec, base)
    except PolicyError as error:
        found.extend(
            Fault(f"{where}.{fault.where}", fault.problem, fault.fix, fault.values)
            for fault in error.faults
        )
    if found:
        raise PolicyError(found)
    return hierarchy


def _bands(spec: Spec, base: Path) -> Hierarchy:
    start = spec.get("start", 0)
    return bands(*cast(list[float], _list(spec, "bands")), start=cast(float, start))


def _prefix(spec: Spec, base: Path) -> Hierarchy:
    _true(spec, "prefix")
    steps = cast(list[int], _list(spec, "steps") if "steps" in spec else [])
    return prefix(steps=steps, hide=cast(Side, spec.get("hide", "right")))


def _dates(spec: Spec, base: Path) -> Hierarchy:
    _true(spec, "dates")
    return dates(
        days=cast(bool, spec.get("days", False)),
        quarters=cast(bool, spec.get("quarters", False)),
        format=cast("str | None", spec.get("format")),
    )


def _tree(spec: Spec, base: Path) -> Hierarchy:
    source = spec["tree"]
    if isinstance(source, list) and not all(isinstance(row, list) for row in source):
        source = None
    if not isinstance(source, str | Mapping | list):
        fix = f"use tree = {KINDS['tree'].example}"
        raise PolicyError(Fault("tree", "not a path, a table of groups, or rows", fix))
    return tree(source, base=base)


def _ordered(spec: Spec, base: Path) -> Hierarchy:
    widths = cast(list[int], _list(spec, "widths") if "widths" in spec else [])
    return ordered(_list(spec, "ordered"), widths)


def _flat(spec: Spec, base: Path) -> Hierarchy:
    _true(spec, "flat")
    return flat()


def _list(spec: Spec, key: str) -> list[object]:
    given = spec[key]
    if not isinstance(given, list) or any(isinstance(one, list | dict) for one in given):
        example = KINDS[key].example if key in KINDS else "[2, 4]"
        raise PolicyError(Fault(key, "not a list", f"use {key} = {example}"))
    return given


def _true(spec: Spec, key: str) -> None:
    if spec[key] is not True:
        raise PolicyError(Fault(key, "neither an option nor true", f"use {key} = true"))


KINDS: Mapping[str, _Kind] = {
    "bands": _Kind(_bands, ("start",), "[5, 10, 20]"),
    "prefix": _Kind(_prefix, ("steps", "hide")),
    "dates": _Kind(_dates, ("days", "quarters", "format")),
    "tree": _Kind(_tree, (), '"hierarchies/job.csv"'),
    "ordered": _Kind(_ordered, ("widths",), '["low", "mid", "high"]'),
    "flat": _Kind(_flat),
}
