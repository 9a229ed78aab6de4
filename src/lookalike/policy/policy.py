"""A policy: the roles of the columns, the requirements, and what may be lost to meet them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

from lookalike.cost.metric import Metric
from lookalike.cost.precision import Precision
from lookalike.errors import Fault, FileError, PolicyError
from lookalike.policy.cell_display import INTERVAL
from lookalike.policy.column_sets import Linking, linking_from, twice_faults
from lookalike.policy.conventions import Conventions
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.metric_names import metric_from
from lookalike.policy.nine_models import Model, model_from
from lookalike.policy.policy_faults import DICTS, own_faults, table_faults, type_faults
from lookalike.policy.population import Population
from lookalike.policy.pseudonym import Pseudonym, pseudonyms_from
from lookalike.privacy.requirement import Requirement
from lookalike.registry import HIERARCHIES


@dataclass(frozen=True, slots=True, init=False)
class Policy:
    """What a release must fulfill: every column has a role, and requirements are set.

    A column without a role is a fault: the forgotten column is the leak.

    Parameters
    ----------
    quasi_identifiers : dict from column to hierarchy
        Columns that an outsider could know; they are generalized along their hierarchies.
    require : requirement, or several
        What the release guarantees, for example ``KAnonymity(5)``.
    identifiers : str or several
        Columns that name a person; they are removed.
    sensitive : str or several
        Columns that nobody should learn about a person; they are kept unchanged.
    insensitive : str or several
        Harmless columns that an outsider cannot know; they are kept unchanged.
    suppress : float or int
        How many rows may be suppressed (left out): a share from 0.0 to 1.0, or a number of rows.
    metric : Metric or str, optional
        The information loss to minimize; ``Precision()`` by default.
    weights : dict from column to number, optional
        How much the detail of each quasi-identifier matters; 1 by default.
    levels : dict from column to pair of int, optional
        The finest and the coarsest level allowed for a column.
    conventions : Conventions, optional
        How nulls, stars, suppressed rows and cuts are treated.
    model : Model, str or dict, optional
        What may be generalized and suppressed at all, for example ``"AG_TS"``. Without it each
        algorithm follows its own model, within ``suppress``.
    linking : dict, optional
        Sets of quasi-identifiers that must each meet the requirements on their own: from a name to
        a list of columns, or to a dict from column to the likelihood that it is used for linking.
    distort : dict from column to number, optional
        How much distortion of a column is acceptable, from 0 to 1; Datafly uses it.
    identifying : dict from column to int, optional
        How identifying a column is, from 0 to 3; μ-Argus uses it.
    show : dict from column to str, optional
        ``"interval"`` for columns of numbers or dates whose generalized cells show the true
        interval of their class.
    eligible : dict from column to values, optional
        The values that a row must have in these columns to be released at all.
    population : Population or table, optional
        The population to which the table belongs; k-map and δ-presence need it.
    pseudonyms : str, several, or dict, optional
        Identifiers that stay joinable: a secret key replaces each value by another. A dict goes
        from columns to formats, ``"token"`` or ``"keep"``.
    accept : dict from column to str, optional
        Kept columns that may be released although they reveal something, each with the reason; the
        reason is in the certificate. See ``la.screen``.
    max_singled_out : float or int, optional
        How many rows may be unique in the kept columns, at most three of them together: a share
        from 0.0 to 1.0, or a number of rows. Without it there is no limit.

    Raises
    ------
    PolicyError
        If the policy is inconsistent, with all its faults.

    Examples
    --------
    >>> import lookalike as la
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.bands(5, 10, 20), "zip": la.prefix()},
    ...     require=la.KAnonymity(5), identifiers="name", sensitive="diagnosis", suppress=0.02,
    ... )
    >>> policy.names
    ('age', 'zip')
    """

    quasi_identifiers: Mapping[str, Hierarchy]
    require: tuple[Requirement, ...]
    identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...]
    suppress: float | int
    metric: Metric
    weights: Mapping[str, float]
    levels: Mapping[str, tuple[int, int]]
    conventions: Conventions
    model: Model | None
    linking: Linking
    distort: Mapping[str, float]
    identifying: Mapping[str, int]
    show: Mapping[str, str]
    eligible: Mapping[str, tuple[str, ...]]
    population: Population | None
    pseudonyms: Mapping[str, Pseudonym]
    accept: Mapping[str, str]
    max_singled_out: float | int | None

    def __init__(
        self,
        *,
        quasi_identifiers: Mapping[str, Hierarchy],
        require: Requirement | Iterable[Requirement],
        identifiers: str | Iterable[str] = (),
        sensitive: str | Iterable[str] = (),
        insensitive: str | Iterable[str] = (),
        suppress: float = 0,
        metric: Metric | str | None = None,
        weights: Mapping[str, float] | None = None,
        levels: Mapping[str, tuple[int, int]] | None = None,
        conventions: Conventions | None = None,
        model: Model | str | Mapping[str, str] | None = None,
        linking: Mapping[str, Iterable[str] | Mapping[str, float]] | None = None,
        distort: Mapping[str, float] | None = None,
        identifying: Mapping[str, int] | None = None,
        show: Mapping[str, str] | None = None,
        eligible: Mapping[str, str | Iterable[str]] | None = None,
        population: Any = None,
        pseudonyms: str | Iterable[str] | Mapping[str, Any] = (),
        accept: Mapping[str, str] | None = None,
        max_singled_out: float | None = None,
    ) -> None:
        keyed, faults = _pseudonyms(pseudonyms)
        rows: object = suppress
        whole = isinstance(rows, Integral) and not isinstance(rows, bool)
        parts = {
            "quasi_identifiers": quasi_identifiers,
            "require": _several(require),
            "identifiers": _several(identifiers),
            "sensitive": _several(sensitive),
            "insensitive": _several(insensitive),
            "suppress": int(suppress) if whole else suppress,  # also from the integers of numpy
            "metric": metric_from(metric) if isinstance(metric, str) else metric or Precision(),
            "conventions": conventions or Conventions(),
            "model": None if model is None else model_from(model),
            "linking": linking_from({} if linking is None else linking),
            "population": population
            if population is None or isinstance(population, Population)
            else Population(population),
            "pseudonyms": keyed,
            "weights": {} if weights is None else weights,
            "levels": {} if levels is None else levels,
            "distort": {} if distort is None else distort,
            "identifying": {} if identifying is None else identifying,
            "show": {} if show is None else show,
            "eligible": {} if eligible is None else eligible,
            "accept": {} if accept is None else accept,
            "max_singled_out": max_singled_out,
        }
        for name, part in parts.items():
            object.__setattr__(self, name, part)
        if faults := faults + type_faults(self):
            raise PolicyError(faults)
        for name in DICTS:
            object.__setattr__(self, name, dict(getattr(self, name)))
        allowed = {name: _several(values) for name, values in self.eligible.items()}
        object.__setattr__(self, "eligible", allowed)
        if faults := own_faults(self) + twice_faults(linking or {}):
            raise PolicyError(faults)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order given."""
        return tuple(self.quasi_identifiers)

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that are kept unchanged."""
        return self.sensitive + self.insensitive

    @property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """The columns of each role."""
        return {
            "quasi_identifiers": self.names,
            "identifiers": self.identifiers,
            "pseudonyms": tuple(self.pseudonyms),
            "sensitive": self.sensitive,
            "insensitive": self.insensitive,
        }

    @property
    def smallest(self) -> int:
        """The fewest rows that a released class can have."""
        return max((rule.smallest for rule in self.require), default=1)

    @property
    def by_size(self) -> bool:
        """Is nothing required but that every class has ``smallest`` rows?"""
        return all(rule.by_size for rule in self.require)

    @property
    def needs_sample(self) -> bool:
        """Is something required that is promised only of a secret random sample?"""
        return any(rule.needs_sample for rule in self.require)

    @property
    def required_columns(self) -> tuple[str, ...]:
        """The sensitive columns that requirements need."""
        return tuple(dict.fromkeys(name for rule in self.require for name in rule.columns))

    @property
    def hierarchies(self) -> Mapping[str, Hierarchy]:
        """The hierarchy of each column: value and ``*`` only, if the model generalizes nothing."""
        if self.model is not None and self.model.generalize == "none":
            return dict.fromkeys(self.quasi_identifiers, HIERARCHIES.load("flat")())
        return self.quasi_identifiers

    @property
    def interval_columns(self) -> tuple[str, ...]:
        """The columns whose generalized cells show the true interval of their class."""
        return tuple(name for name in self.names if self.show.get(name) == INTERVAL)

    @property
    def keeps_stars(self) -> bool:
        """Does the model suppress single cells or columns, so that no interval replaces a ``*``?"""
        return self.model is not None and self.model.suppress in ("cell", "attribute")

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of columns that must each meet the requirements; one set of all by default."""
        if not self.linking:
            return (self.names,)
        return tuple(
            tuple(name for name in self.names if columns.get(name))
            for columns in self.linking.values()
        )

    def level_bounds(self, name: str, height: int) -> tuple[int, int]:
        """The finest and the coarsest level allowed for a quasi-identifier.

        Parameters
        ----------
        name : str
            The column.
        height : int
            The last level of its hierarchy.

        Returns
        -------
        tuple of int
        """
        if self.model is not None and self.model.name == "TS":
            return 0, 0
        return self.levels.get(name, (0, height))

    def allowance(self, rows: int) -> int:
        """How many rows may be suppressed; a share is rounded down to whole rows.

        Parameters
        ----------
        rows : int
            Rows of the table.

        Returns
        -------
        int
        """
        if isinstance(self.suppress, int):
            return min(self.suppress, rows)
        return math.floor(self.suppress * rows + 1e-9)  # 0.29 * 100 is 28.999999999999996

    def faults(self, columns: Iterable[str]) -> list[Fault]:
        """What does not fit a table with these columns.

        Parameters
        ----------
        columns : iterable of str
            The columns of the table.

        Returns
        -------
        list of Fault
            A fault for each column without a role, and for each column that the table lacks.
        """
        return table_faults(self, list(columns))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the policy to a policy file, which ``la.load_policy`` reads.

        A tree that came from a file is written as its path, as it was given.

        Parameters
        ----------
        path : str or path
            The TOML file to write; an existing file is replaced.

        Raises
        ------
        PolicyError
            If a part has no form in policy files, for example a population in memory.
        FileError
            If the file cannot be written.

        Examples
        --------
        >>> import lookalike as la, pathlib, tempfile
        >>> policy = la.Policy(quasi_identifiers={"zip": la.prefix()}, require=la.KAnonymity(5))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     policy.save(pathlib.Path(folder, "policy.toml"))
        ...     print(pathlib.Path(folder, "policy.toml").read_text().splitlines()[4:6])
        ['[quasi_identifiers]', 'zip = { prefix = true }']
        """
        from lookalike.policy.policy_file import dumps

        text = dumps(self)
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            problem = f"cannot be written ({error.strerror})"
            raise FileError(Fault(str(path), problem, "choose another path")) from None


def _pseudonyms(given: object) -> tuple[dict[str, Pseudonym], list[Fault]]:
    try:
        return pseudonyms_from(given), []
    except PolicyError as error:
        return {}, list(error.faults)


def _several(given: Any) -> tuple[Any, ...]:
    """One or more, as a tuple; their types are checked later."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return (given,)
    return tuple(given)
