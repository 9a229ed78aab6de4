"""Bounds on counts against the attacker who tries every table."""

from __future__ import annotations

import numpy as np
import refinement_oracle
import tiny
import tiny_releases
from effort import THOROUGH

import lookalike as la
from lookalike.attacking.refinement.closed_classes import ClosedClasses, why_unsuitable
from lookalike.attacking.refinement.count_bounds import bound_counts
from lookalike.attacking.refinement.exact_counts import exact_counts

MAX_TABLES = 400


def releases(seed):
    """Problems released by lattice greedy, and all tables that lead to the release."""
    for one in tiny_releases.small_problems(seed):
        solution = la.solve(tiny.problem(one, la.Precision()), "lattice-greedy")
        if solution.recoding is None:
            continue
        rows = tiny_releases.released_rows(one, solution)
        view = tiny_releases.view(one, la.Precision(), rows)
        sizes, domain = tiny_releases.sizes(rows), tiny_releases.domain(one)
        tables = refinement_oracle.tables_to_try(one, domain, sizes)
        if why_unsuitable(view) or not 1 < tables <= MAX_TABLES:
            continue
        yield one, view, refinement_oracle.consistent(one, domain, sizes)


def ranges(classes, bounds, one, tables):
    """(pairs, 2) and (labels, 2) least and most over all tables, by the oracle."""
    view = classes.view
    shown = [
        tuple(column.labels[code] for column, code in zip(view.columns, codes, strict=True))
        for codes in view.codes.tolist()
    ]
    values = tiny.counts(one).values
    parts = {(c, a): own.part for c, a, own in classes.labels()}
    rows = [
        [
            table[shown[c]][tuple(values[a][leaf] for a, leaf in enumerate(leaves))]
            for c, leaves in zip(bounds.of.tolist(), bounds.leaves.tolist(), strict=True)
        ]
        for table in tables
    ]
    labels = []
    for table in tables:
        labels.append([])
        label = zip(bounds.label_of, bounds.label_column, bounds.label_part, strict=True)
        for c, a, number in label:
            inside = {value for leaf, value in enumerate(values[a]) if parts[c, a][leaf] == number}
            labels[-1].append(
                sum(count for row, count in table[shown[c]].items() if row[a] in inside)
            )
    held = sum(sum(own) for own in rows)
    assert held == len(tables) * view.rows.sum()  # no row has a tuple that rule E excludes
    return [
        np.array([np.min(each, axis=0), np.max(each, axis=0)]).T.reshape(-1, 2)
        for each in (rows, labels)
    ]


def test_bounds_are_those_of_the_attacker_who_tries_everything():
    exact = tried = 0
    for one, view, tables in releases(701):
        classes = ClosedClasses(view)
        loose = bound_counts(classes)
        best = exact_counts(classes, loose)
        pairs, labels = ranges(classes, best, one, tables)
        for bounds in (loose, best):  # nothing false
            assert (bounds.least <= pairs[:, 0]).all()
            assert (bounds.most >= pairs[:, 1]).all()
            assert (bounds.label_least <= labels[:, 0]).all()
            assert (bounds.label_most >= labels[:, 1]).all()
        tried += 1
        if best.exact:  # all that can be deduced
            exact += 1
            assert np.array_equal(np.stack([best.least, best.most], axis=1), pairs)
            assert np.array_equal(np.stack([best.label_least, best.label_most], axis=1), labels)
        if exact == (500 if THOROUGH else 40):
            break
    assert exact >= 0.95 * tried
