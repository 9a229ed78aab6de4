"""Errors and the faults they list: where, what is wrong, and how to fix it.

Every error that a caller may catch is a :class:`LookalikeError`. All faults are collected before an
error is raised. They name columns and counts, never cell values. A bug in lookalike itself is never
a ``LookalikeError``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: the place, the problem, and the fix.

    Parameters
    ----------
    where : str
        The place, for example a key of the policy or a column.
    problem : str
        What is wrong, without cell values.
    fix : str
        What to do about it.
    values : tuple of str
        The cell values concerned; they are shown only on request.

    Examples
    --------
    >>> import lookalike as la
    >>> fault = la.Fault("age", "2 distinct values are not numeric", "clean them", ("x", "y"))
    >>> print(fault)
    age: 2 distinct values are not numeric
    fix: clean them
    """

    where: str
    problem: str
    fix: str
    values: tuple[str, ...] = field(default=(), repr=False)  # cell values; shown only on request

    def text(self, *, show_values: bool = False) -> str:
        """The message, one line for the problem and one for the fix.

        Parameters
        ----------
        show_values : bool
            Add a line with up to ten of the cell values concerned.

        Returns
        -------
        str
        """
        lines = [f"{self.where}: {self.problem}", f"fix: {self.fix}"]
        if show_values and self.values:
            shown = ", ".join(self.values[:10])
            more = f" and {len(self.values) - 10} more" if len(self.values) > 10 else ""
            lines.insert(1, f"values: {shown}{more}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


class LookalikeError(Exception):
    """The base class of all errors that lookalike raises on purpose.

    Parameters
    ----------
    faults : Fault or iterable of Fault
        Everything that is wrong, at least one fault.

    Attributes
    ----------
    faults : tuple of Fault
        Everything that is wrong.

    Examples
    --------
    >>> import lookalike as la
    >>> try:
    ...     la.Policy(quasi_identifiers={}, require=la.KAnonymity(5))
    ... except la.LookalikeError as error:
    ...     print(error)
    1 fault in the policy
      1. quasi_identifiers: there are none
         fix: name the columns that an outsider could know, each with a hierarchy
    """

    subject = "the call"

    def __init__(self, faults: Iterable[Fault] | Fault) -> None:
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        if not self.faults:
            raise ValueError("an error needs at least one fault")
        super().__init__(self.text())

    def within(self, place: str) -> Self:
        """The same faults, each located below another place.

        Parameters
        ----------
        place : str
            What contains the place of each fault, for example a column.

        Returns
        -------
        LookalikeError
            An error of the same class.
        """
        return type(self)(replace(f, where=f"{place}.{f.where}") for f in self.faults)

    def text(self, *, show_values: bool = False) -> str:
        """The message with all faults, as the command line prints it.

        Parameters
        ----------
        show_values : bool
            Show up to ten of the cell values that each fault concerns.

        Returns
        -------
        str
        """
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
    """The policy is inconsistent or does not fit the table.

    Examples
    --------
    >>> import lookalike as la
    >>> try:
    ...     la.bands(5, 7)
    ... except la.PolicyError as error:
    ...     print(error.faults[0].where)
    bands
    """

    subject = "the policy"


class TableError(LookalikeError):
    """A table cannot be read or written.

    Examples
    --------
    >>> import lookalike as la
    >>> try:
    ...     la.risk("missing.csv", ["age"])
    ... except la.TableError as error:
    ...     print(len(error.faults))
    1
    """

    subject = "the table"


class ValueRangeError(TableError):
    """A column has values that only its engine can represent, such as an infinite date."""


class FileError(TableError):
    """A file cannot be written, or its content is not what it should be.

    Examples
    --------
    >>> import lookalike as la
    >>> issubclass(la.FileError, la.TableError)
    True
    """

    subject = "the files"


class NotSuited(LookalikeError):
    """The chosen algorithm cannot solve this problem.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [20, 20, 30], "sex": ["f", "f", "f"]})
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.bands(10), "sex": la.flat()}, require=la.KAnonymity(2)
    ... )
    >>> try:  # Flash searches for one level for each column, CG_ asks for single cells
    ...     la.anonymize(table, la.Policy(
    ...         quasi_identifiers=policy.quasi_identifiers, require=policy.require, model="CG_"
    ...     ), by=la.Flash())
    ... except la.NotSuited as error:
    ...     print(type(error).__name__)
    NotSuited
    """

    subject = "the choice of algorithm"


class PluginError(LookalikeError):
    """An installed package that adds to lookalike cannot be used.

    Examples
    --------
    >>> import lookalike as la
    >>> issubclass(la.PluginError, la.LookalikeError)
    True
    """

    subject = "an installed package"


class Infeasible(LookalikeError):
    """It is proved that no recoding of this kind meets the policy.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.bands(10)},
    ...     require=la.KAnonymity(2),
    ...     levels={"age": (0, 0)},
    ... )
    >>> try:  # ages may not be generalized, and no two are the same
    ...     la.anonymize(pa.table({"age": [20, 30]}), policy)
    ... except la.Infeasible as error:
    ...     print(type(error).__name__)
    Infeasible
    """

    subject = "the request"


class NotProven(LookalikeError):
    """The result is weaker than required (``expect``, ``--want``).

    Examples
    --------
    >>> import lookalike as la
    >>> issubclass(la.NotProven, la.LookalikeError)
    True
    """

    subject = "the result"


class ReleaseRefused(LookalikeError):
    """Verification failed, and nothing was written.

    Examples
    --------
    >>> import lookalike as la
    >>> issubclass(la.ReleaseRefused, la.LookalikeError)
    True
    """

    subject = "the release"


class InputError(PolicyError):
    """Inputs of several kinds are wrong: the policy, a table, a key, an option."""

    subject = "the input"


class FaultCollector:
    """Runs several checks, and reports the faults of all of them in one error."""

    def __init__(self) -> None:
        self.errors: list[LookalikeError] = []

    @contextmanager
    def check(self) -> Iterator[None]:
        """Keep the faults of bad input that the block raises; the block ends there."""
        try:
            yield
        except (PolicyError, TableError, NotSuited, PluginError) as error:
            self.errors.append(error)

    def raise_faults(self) -> None:
        """Raise one error with all faults, if there are any.

        It is of the class of the errors if they share one, and an ``InputError`` otherwise.
        """
        if not self.errors:
            return
        shared = (
            kind
            for kind in (TableError, type(self.errors[0]))
            if all(isinstance(error, kind) for error in self.errors)
        )
        kinds = {type(error) for error in self.errors}
        kind = kinds.pop() if len(kinds) == 1 else next(shared, InputError)
        raise kind(dict.fromkeys(fault for error in self.errors for fault in error.faults))
