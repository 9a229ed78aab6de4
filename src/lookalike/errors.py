"""What can go wrong, said in a way that can be acted on: where, what, and what would fix it.

Every error a caller may catch is a :class:`LookalikeError`. Faults are gathered before anything is
raised, and name columns and counts, never cell values. A bug of ours is never one of these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: the place, the problem, and the fix."""

    where: str
    problem: str
    fix: str
    values: tuple[str, ...] = field(default=(), repr=False)  # cell values; shown only on request

    def text(self, *, show_values: bool = False) -> str:
        lines = [f"{self.where}: {self.problem}", f"fix: {self.fix}"]
        if show_values and self.values:
            shown = ", ".join(self.values[:10])
            more = f" and {len(self.values) - 10} more" if len(self.values) > 10 else ""
            lines.insert(1, f"values: {shown}{more}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


class LookalikeError(Exception):
    """The family: catch this to catch every error that lookalike means to raise."""

    subject = "the call"

    def __init__(self, faults: Iterable[Fault] | Fault) -> None:
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        if not self.faults:
            raise ValueError("an error needs at least one fault")
        super().__init__(self.text())

    def within(self, place: str) -> Self:
        """The same faults, each located below ``place``."""
        return type(self)(replace(f, where=f"{place}.{f.where}") for f in self.faults)

    def text(self, *, show_values: bool = False) -> str:
        """The message, as the command line prints it."""
        count = len(self.faults)
        head = f"{count} fault{'s' if count > 1 else ''} in {self.subject}"
        body = []
        for number, fault in enumerate(self.faults, 1):
            first, *rest = fault.text(show_values=show_values).split("\n")
            body.append(f"  {number}. {first}")
            body.extend(f"     {line}" for line in rest)
        return "\n".join([head, *body])

    def __reduce__(self) -> tuple[type[LookalikeError], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)


class PolicyError(LookalikeError):
    """The policy contradicts itself or does not fit the table."""

    subject = "the policy"


class TableError(LookalikeError):
    """A table cannot be read, understood or written."""

    subject = "the table"


class FileError(TableError):
    """A file cannot be written, or is not what it should be."""

    subject = "the files"


class NotSuited(LookalikeError):
    """An algorithm cannot honestly run on this problem."""

    subject = "the choice of algorithm"


class PluginError(LookalikeError):
    """An installed package that adds to lookalike cannot be used."""

    subject = "an installed package"


class Infeasible(LookalikeError):
    """No recoding in the space meets the policy, and that is proved."""

    subject = "what was asked"


class NotProven(LookalikeError):
    """The result is weaker than what was asked for (``expect``, ``--want``)."""

    subject = "the result"


class ReleaseRefused(LookalikeError):
    """Verification failed; nothing was written."""

    subject = "the release"
