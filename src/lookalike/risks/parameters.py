"""What is asked about a table besides the columns: thresholds, sizes, the population; checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real

from lookalike.counts.frequency_set import FrequencySet
from lookalike.errors import Fault, PolicyError
from lookalike.risks.attacker_models import THRESHOLD
from lookalike.risks.column_sets.column_subsets import affordable


@dataclass(frozen=True, slots=True)
class Asked:
    """Options of a measurement, each as ``measure`` takes it."""

    threshold: float = THRESHOLD
    population_size: int | None = None
    sampling_fraction: float | None = None
    combinations: bool | int = False  # True: up to 4, if in some seconds

    def __post_init__(self) -> None:
        if faults := [fault for fault in self._faults() if fault]:
            raise PolicyError(faults)

    def size(self, counts: FrequencySet) -> int:
        """The largest sets of columns to look at, 0 for none."""
        return affordable(counts) if self.combinations is True else int(self.combinations)

    def people(self, rows: int) -> int | None:
        """How many the table was drawn from, if that was said."""
        people = self.population_size
        if self.sampling_fraction is not None:
            people = max(rows, round(rows / self.sampling_fraction))
        if people is not None and people < rows:
            problem = f"{people:,} people are fewer than the {rows:,} rows of the table"
            raise PolicyError(Fault("population_size", problem, "give as many as rows, or more"))
        return people

    def _faults(self) -> tuple[Fault | None, ...]:
        fraction, people = self.sampling_fraction, self.population_size
        both = None
        if fraction is not None and people is not None:
            told = "one follows from the other"
            both = Fault("population_size, sampling_fraction", told, "give one of them")
        return (
            _between("threshold", self.threshold, 0.0, 1.0),
            None if fraction is None else _between("sampling_fraction", fraction, 0.0, 1.0),
            None if people is None else _whole("population_size", people, 1),
            _whole("combinations", self.combinations, 0),
            both,
        )


def named_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns, each once; a text would be taken letter by letter."""
    if isinstance(columns, str) or not columns:
        raise PolicyError(
            Fault("columns", "not a list of columns", 'name columns, as ["age", "zip"]')
        )
    return tuple(dict.fromkeys(columns))


def _between(where: str, given: object, above: float, most: float) -> Fault | None:
    if isinstance(given, Real) and above < float(given) <= most:
        return None  # NaN is not within
    problem = f"not a number above {above:g}, up to {most:g}"
    return Fault(where, problem, f"use one, as {most / 2:g}" if most < 10 else "use one")


def _whole(where: str, given: object, least: int) -> Fault | None:
    if isinstance(given, Integral) and int(given) >= least:
        return None
    return Fault(where, f"not a whole number, {least} or more", f"use one, as {max(1000, least)}")
