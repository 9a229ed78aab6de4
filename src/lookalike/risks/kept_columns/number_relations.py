"""Affine, logarithmic and power relations between a kept column of numbers and a target.

Either column, or both, may be taken as a logarithm: t = a + b x, t = a + b log x, log t = a + b x,
and log t = a + b log x, which includes roots, squares and reciprocals. A relation need not be
exact: values may have been rounded, or changed a little. The narrowest tolerance for which the
relation is nearly exact is used: the precision of floating-point numbers, the rounding of either
column, 0.1% of the spread, or 2% of it. Columns that are merely correlated need far more than 2%
(for normal distributions, a correlation of 0.998 or more is within it).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.risks.kept_columns.coded_table import CodedColumn, CodedTable, Real
from lookalike.risks.kept_columns.findings import Kind
from lookalike.risks.kept_columns.relation import (
    MIN_ABOVE_CHANCE,
    SAMPLE_TOLERANCE,
    Relation,
    fitted_relation,
)
from lookalike.risks.kept_columns.robust_line import BAND, EXACT, fit_plane, spread

TOLERANCES = (1e-3, 2e-2)  # of the spread, beside exact and rounded
MIN_VALUES = 4  # distinct values that must be known of either column
MIN_POSITIVE = 0.9  # share of values above zero, for a logarithm
WHOLE_SLOPE_TOLERANCE = 0.01  # a slope this near to a whole number is tried as that number
MAX_DECIMALS = 9
MAX_READ = 10_000  # values that show how a column is rounded
MIN_IMPROVEMENT = 0.01  # how much a later form must be better than an earlier one
FORMS_TRIED = 20  # forms and tolerances to choose from: part of the length of the code


@dataclass(frozen=True, slots=True)
class Transform:
    """A function of a column that makes the relation a straight line."""

    name: str
    apply: Callable[[Real], Real]


def _log(values: Real) -> Real:
    with np.errstate(divide="ignore", invalid="ignore"):
        read = np.log(values)
    return np.where(np.isfinite(read), read, np.nan)


def _log_of_one_more(values: Real) -> Real:
    return _log(values + 1)


SAME = Transform("", lambda values: values)
LOG = Transform("log", _log)
LOG_1P = Transform("log1p", _log_of_one_more)
FORMS = (  # of the kept column and of the target
    (Kind.AFFINE, SAME, SAME),
    (Kind.LOGARITHM, LOG, SAME),
    (Kind.LOGARITHM, SAME, LOG),
    (Kind.POWER, LOG, LOG),
    (Kind.LOGARITHM, LOG_1P, SAME),
    (Kind.LOGARITHM, SAME, LOG_1P),
)


def number_relation(
    table: CodedTable, sample: CodedTable, points: CodedTable, kept: str, target: str
) -> Relation | None:
    """The form that is best in a sample, the first of equally good ones, in the whole table."""
    best: Relation | None = None
    form = FORMS[0]
    for kind, of_kept, of_target in FORMS:
        relation = linear_relation(sample, points, kind, ((kept, of_kept),), (target, of_target))
        if relation is not None and (
            best is None or relation.above_chance > best.above_chance + MIN_IMPROVEMENT
        ):
            best, form = relation, (kind, of_kept, of_target)
    if best is None or best.above_chance < MIN_ABOVE_CHANCE - SAMPLE_TOLERANCE or sample is table:
        return best
    kind, of_kept, of_target = form
    return linear_relation(table, points, kind, ((kept, of_kept),), (target, of_target))


def linear_relation(
    table: CodedTable,
    points: CodedTable,
    kind: Kind,
    kept: Sequence[tuple[str, Transform]],
    target: tuple[str, Transform],
    tolerances: Sequence[float] = TOLERANCES,
) -> Relation | None:
    """The target as a linear function of kept columns, each after a transform."""
    goal, of_target = target
    transforms = [*kept, target]
    if not all(_suits(points.columns[name], transform) for name, transform in transforms):
        return None
    inputs = np.column_stack([_numbers(points.columns[name], f) for name, f in kept])
    output = _numbers(points.columns[goal], of_target)
    use = np.isfinite(inputs).all(axis=1) & np.isfinite(output)
    plane = fit_plane(inputs[use], output[use]) if use.sum() > MIN_VALUES else None
    if plane is None or not plane[:-1].all():
        return None
    planes = [plane, *_whole_slopes(plane, inputs[use], output[use])]
    sides = [_numbers(table.columns[name], transform) for name, transform in transforms]
    best: Relation | None = None
    for shown, wanted, tolerance in _comparisons(table, kept, target, planes, sides, tolerances):
        length = 2 * len(plane) * math.log(max(2, table.rows)) + math.log(FORMS_TRIED)
        names = tuple(name for name, _ in kept)
        relation = fitted_relation(table, kind, names, goal, shown, wanted, tolerance, length)
        if best is None or relation.above_chance > best.above_chance:
            best = relation
        if best.above_chance >= MIN_ABOVE_CHANCE:
            break
    return best


def _comparisons(
    table: CodedTable,
    kept: Sequence[tuple[str, Transform]],
    target: tuple[str, Transform],
    planes: Sequence[Real],
    sides: Sequence[Real],
    tolerances: Sequence[float],
) -> Iterator[tuple[Real, Real, float]]:
    """What the kept side shows, what the target says, and how far apart they may be."""
    *inputs, wanted = sides
    finite = wanted[np.isfinite(wanted)]
    extent = spread(finite) if len(finite) else 0.0
    if not extent:
        return
    shown = [_along(plane, inputs) for plane in planes]
    for side in shown:
        yield side, wanted, EXACT * extent
    goal, of_target = target
    half = rounding(table.columns[goal]) / 2 * (1 + EXACT)
    if of_target is SAME and half > EXACT * extent:
        for side in shown:
            yield side, wanted, half
    if len(kept) == 1 and kept[0][1] is SAME:  # the kept column may be the rounded one
        half = rounding(table.columns[kept[0][0]]) / 2 * (1 + EXACT)
        if half * abs(planes[0][0]) > EXACT * extent:
            for plane in planes:
                yield inputs[0], (wanted - plane[-1]) / plane[0], half
    for part in tolerances:
        yield shown[0], wanted, part * extent


def _along(plane: Real, inputs: Sequence[Real]) -> Real:
    total = np.full(len(inputs[0]), plane[-1])
    for slope, column in zip(plane, inputs, strict=False):
        total = total + slope * column
    return total


def _whole_slopes(plane: Real, inputs: Real, output: Real) -> Iterator[Real]:
    """The plane with slopes that are whole numbers, in the middle of the points near it."""
    slopes = np.round(plane[:-1])
    if (
        not slopes.all()
        or (np.abs(plane[:-1] - slopes) > WHOLE_SLOPE_TOLERANCE * np.abs(slopes)).any()
    ):
        return
    rest = output - inputs @ slopes
    half = rest[np.abs(rest - np.median(rest)) <= 2 * BAND * spread(output)]
    if len(half):
        yield np.append(slopes, (half.min() + half.max()) / 2)
        yield np.append(slopes, np.median(rest))


def _numbers(column: CodedColumn, transform: Transform) -> Real:
    """(tuples,) the numbers of a column after a transform, NaN where it is null."""
    assert column.scale is not None
    return transform.apply(column.scale)[column.codes]


def _suits(column: CodedColumn, transform: Transform) -> bool:
    """Does it have enough values, and above zero where a logarithm is taken?"""
    if column.scale is None or (transform is not SAME and column.numbers is None):
        return False
    values = column.scale[np.isfinite(column.scale)]
    if len(values) < MIN_VALUES:
        return False
    least = {LOG.name: 0.0, LOG_1P.name: -1.0}.get(transform.name)
    return least is None or bool((values > least).mean() >= MIN_POSITIVE)


def rounding(column: CodedColumn) -> float:
    """The unit that the values are rounded to: 1, 0.1, 0.01 …, or a day; 0 if there is none."""
    if column.scale is None:
        return 0.0
    values = column.scale[np.isfinite(column.scale)][:MAX_READ]
    for decimals in range(MAX_DECIMALS):
        unit = 10.0**-decimals
        if np.allclose(values, np.round(values, decimals), rtol=1e-12, atol=unit * EXACT):
            return unit
    return 0.0
