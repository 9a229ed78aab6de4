"""Read a hierarchy as a policy file writes it: ``{"bands": [5, 10, 20]}``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_keys, unknown_word
from lookalike.policy.hierarchy import Hierarchy
from lookalike.registry import HIERARCHIES


def from_dict(
    spec: Mapping[str, object],
    base: Path = Path(),
    where: str = "hierarchy",
    beside: tuple[str, ...] = (),
) -> Hierarchy:
    """The inverse of ``Hierarchy.to_dict``; paths of trees are relative to ``base``.

    Keys named in ``beside`` may occur in ``spec`` too; the caller reads them.
    """
    names = [key for key in spec if key in HIERARCHIES.builtin] or [
        key for key in spec if key not in beside and key in HIERARCHIES
    ]
    if not names:
        word = next(iter(spec), "")
        raise PolicyError(unknown_word(where, "it names no hierarchy", word, HIERARCHIES.names))
    if len(names) > 1:
        problem = f"it names {len(names)} hierarchies: {', '.join(names)}"
        raise PolicyError(Fault(where, problem, "keep one of them"))
    kind: type[Hierarchy] = HIERARCHIES.load(names[0])
    faults = unknown_keys(where, spec, (kind.name, *kind.options, *beside))
    try:
        hierarchy = kind.from_dict(spec, base)
    except PolicyError as error:
        faults += error.within(where).faults
    if faults:
        raise PolicyError(faults)
    return hierarchy
