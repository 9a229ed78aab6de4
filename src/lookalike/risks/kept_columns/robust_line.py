"""Fit a line or a plane that most points lie on, and ignore the others.

Random minimal sets of points propose lines, and the one with most points near it wins (M. Fischler
and R. Bolles, Random sample consensus, Communications of the ACM 24, 1981). Least squares on the
nearer points, with a narrower band in each round, then makes it exact.
"""

from __future__ import annotations

import numpy as np

from lookalike.risks.kept_columns.coded_table import Real

PROPOSALS = 100  # with 80% good points, three are good at once in half of the proposals
BAND = 0.02  # of the spread: points within it are near
ROUNDS = 10
NARROWER = 3.0  # times the median distance of the points that are near
MIN_NEAR = 0.6  # of all points
EXACT = 1e-6  # of the spread: what rounding of floating-point numbers leaves


def spread(values: Real) -> float:
    """The distance between the 5% and the 95% quantile, or all of the range if that is zero."""
    low, high = np.quantile(values, (0.05, 0.95))
    return float(high - low) or float(values.max() - values.min())


def fit_plane(inputs: Real, output: Real) -> Real | None:
    """Coefficients, the constant last, of a plane near most points; None if there is none.

    ``inputs`` is (points, columns), ``output`` (points,).
    """
    points = np.column_stack([inputs, np.ones(len(inputs))])
    size = points.shape[1]
    extent = spread(output) if len(output) > size else 0.0
    if extent == 0:
        return None
    random = np.random.default_rng(0)
    chosen = random.integers(0, len(points), size=(PROPOSALS, size))
    systems, wanted = points[chosen], output[chosen]
    scale = np.abs(points).max(axis=0) ** -1.0
    scaled = systems * scale
    usable = np.abs(np.linalg.det(scaled)) > 1e-9
    if not usable.any():
        return None
    proposed = np.linalg.solve(scaled[usable], wanted[usable][..., None])[..., 0] * scale
    proposed = np.vstack([proposed, _least_squares(points, output)])
    near = (np.abs(proposed @ points.T - output) <= BAND * extent).mean(axis=1)
    best: Real = proposed[int(np.argmax(near))]
    band = BAND * extent
    for _ in range(ROUNDS):
        distance = np.abs(points @ best - output)
        inside = distance <= band
        if inside.mean() < MIN_NEAR / 2 or inside.sum() <= size:
            return None
        best = _least_squares(points[inside], output[inside])
        distance = np.abs(points @ best - output)
        band = max(EXACT * extent, min(band, NARROWER * _median(distance, band)))
    return best


def _median(distance: Real, band: float) -> float:
    inside = distance[distance <= band]
    return float(np.median(inside)) if len(inside) else band


def _least_squares(points: Real, output: Real) -> Real:
    middle = points.mean(axis=0)
    middle[-1] = 0.0  # the constant
    centered = points - middle
    solved: Real = np.linalg.lstsq(centered, output, rcond=None)[0]
    solved[-1] -= float(middle[:-1] @ solved[:-1])
    return solved
