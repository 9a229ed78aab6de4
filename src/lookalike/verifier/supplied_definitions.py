"""Which definitions are lookalike's own, and the sentence on checks that rest on another's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lookalike.policy.policy import Policy
from lookalike.registry import supplier


def builtin_name(part: Any) -> str:
    """The name of a metric or requirement of lookalike; empty for one of another package."""
    return str(part.name) if supplier(part) is None else ""


def supplied_note(parts: Iterable[object]) -> str:
    """What to add to a finding that rests on these metrics, requirements or hierarchies."""
    packages = suppliers(parts)
    return note_on(packages) if packages else ""


def note_on(packages: Sequence[str]) -> str:
    """The note that names these packages."""
    named = " and ".join(packages)
    several = "packages" if len(packages) > 1 else "package"
    return f" This check uses a definition of the {several} {named}, not of lookalike."


def suppliers(parts: Iterable[object]) -> list[str]:
    """The other packages that define these metrics, requirements or hierarchies."""
    return sorted({name for part in parts if (name := supplier(part)) is not None})


def claim_note(policy: Policy) -> str:
    """The same for cost and bound, which rest on the metric and on what every class must meet."""
    return supplied_note([policy.metric, *policy.require])
