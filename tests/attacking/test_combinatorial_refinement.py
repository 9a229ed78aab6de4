"""The attack on the order of closing: a worked example, the truth, and brute force."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
import refinement_oracle
import tiny
import tiny_releases
from effort import THOROUGH, effort

import lookalike as la
from lookalike.attacking.combinatorial_refinement import attack_by_combinatorial_refinement
from lookalike.attacking.refinement.closed_classes import ClosedClasses, why_unsuitable
from lookalike.attacking.refinement.count_bounds import bound_counts
from lookalike.attacking.refinement.exact_counts import exact_counts
from lookalike.attacking.release_view import view_release

AGES = [2, 2, 3, 4, 5, 5, 0, 1, 6]
TABLE = pa.table({"age": AGES, "sick": ["b", "b", "b", "a", "b", "c", "x", "x", "x"]})
POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(2, 4)}, sensitive="sick", require=la.KAnonymity(3)
)


def attacked(table, policy, by="lattice-greedy", **given):
    release = la.anonymize(table, policy, by=by)
    counts = release.problem.counts
    view = view_release(
        release.released, policy, counts, algorithm=by.partition(":")[0], known_people=counts
    )
    return view, attack_by_combinatorial_refinement(view, **given)


def test_an_example_by_hand():
    """Classes [2, 4) and [4, 6) are closed first, then the rest as ``*``: 0, 1 and 6.

    By rule E the last class has only 0, 1 and 6. By rule C [0, 4) has at most two of its rows, and
    so has [4, 8); so 6 occurs. In each of the others both ages occur. By the labels, people of 2
    could be in the last class; by rule E they are not, and have b.
    """
    view, found = attacked(TABLE, POLICY)
    assert sorted(view.rows.tolist()) == [3, 3, 3]
    assert found.exact
    assert (found.cells, found.narrowed_cells) == (9, 3)
    last = max(found.by_class, key=lambda own: own.tuples_covered)
    assert (last.tuples_covered, last.tuples_left) == (7, 3)
    assert (last.certain_labels, last.certain_tuples) == (2, 1)  # [0, 4) and 6
    assert found.certain_rows == 2 + 2 + 1
    assert found.rare_tuples == 5
    [sick] = found.sensitive
    assert (sick.certain_before, sick.certain) == (3, 6)
    assert (found.people.rows_before, found.people.rows_after) == (5, 3)


def test_the_constraints_of_the_paper():
    """Those of its algorithm for one class: the sum is its size; nothing lies in what earlier
    classes cover; of two halves each has a row; and a finer label has at most k − 1 rows."""
    seen = 0
    for one in tiny_releases.small_problems(711, rows=10, tuples=20):
        solution = la.solve(tiny.problem(one, la.Precision()), "lattice-greedy")
        if solution.recoding is None or one.allowance:
            continue
        view = tiny_releases.view(
            one, la.Precision(), tiny_releases.released_rows(one, solution), "lattice-greedy"
        )
        if why_unsuitable(view):
            continue
        classes = ClosedClasses(view)
        bounds = exact_counts(classes, bound_counts(classes))
        for c, size in enumerate(view.rows.tolist()):
            own = bounds.of == c
            assert bounds.least[own].sum() <= size <= bounds.most[own].sum()
            for earlier in np.flatnonzero(classes.earlier[:, c] & classes.sure):
                inside = np.ones(len(own), dtype=np.bool_)
                for a, covers in enumerate(classes.covers):
                    inside &= covers[earlier, bounds.leaves[:, a]]
                assert not bounds.most[own & inside].any()
        for c, a, parts in classes.labels():
            label = (bounds.label_of == c) & (bounds.label_column == a)
            if parts.count == 2:
                assert (bounds.label_least[label] >= 1).all()
            later = classes.earlier[c] & (classes.component == classes.component[c])
            if classes.sure.all() and later.any():  # else rows left over may have kept it open
                assert (bounds.label_most[label] <= one.k - 1).all()
            seen += 1
        if seen > effort(500):
            return


@pytest.mark.parametrize("metric", [la.Precision(), la.Loss(), la.Loss("geometric"), la.Entropy()])
def test_the_truth_is_never_excluded(metric):
    rng = random.Random(712)
    for _ in range(effort(80)):
        table, policy = random_table(rng, metric)
        release = la.anonymize(table, policy, by="lattice-greedy")
        counts = release.problem.counts
        view = view_release(release.released, policy, counts, known_people=counts)
        classes = ClosedClasses(view)
        bounds = bound_counts(classes)
        truth = true_counts(view, release)
        for c, leaves, least, most in zip(
            bounds.of.tolist(),
            map(tuple, bounds.leaves.tolist()),
            bounds.least.tolist(),
            bounds.most.tolist(),
            strict=True,
        ):
            assert least <= truth.pop((c, leaves), 0) <= most
        assert not truth  # no row has a tuple that rule E excludes


def random_table(rng, metric):
    rows = rng.randint(30, 200)
    columns = {
        "age": [int(rng.triangular(20, 60, 30)) for _ in range(rows)],
        "zip": [rng.choice(["10", "11", "12", "20", "21", "30"]) for _ in range(rows)],
        "sex": [rng.choice("mf") for _ in range(rows)],
    }
    weights = {name: rng.choice([1, 1, 2, 3]) for name in columns}
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(5, 10, 20), "zip": la.prefix(), "sex": la.flat()},
        require=la.KAnonymity(rng.choice([2, 3, 5])),
        metric=metric,
        weights=weights,
    )
    return pa.table(columns), policy


def true_counts(view, release):
    """The rows of each class and tuple."""
    counts, pieces = release.problem.counts, release.solution.recoding
    classes = {
        tuple(own.labels[code] for own, code in zip(view.columns, codes, strict=True)): c
        for c, codes in enumerate(view.codes.tolist())
    }
    found = {}
    leaf = counts.codes[release.problem.canonical[pieces.group]].tolist()
    for leaves, levels, rows in zip(
        leaf, pieces.levels.tolist(), pieces.rows.tolist(), strict=True
    ):
        shown = tuple(
            own.table.labels[level][own.table.codes[code, level]]
            for own, code, level in zip(view.columns, leaves, levels, strict=True)
        )
        key = classes[shown], tuple(leaves)
        found[key] = found.get(key, 0) + rows
    return found


def test_findings_are_those_of_the_attacker_who_tries_everything():
    tried = 0
    for one in tiny_releases.small_problems(713):
        solution = la.solve(tiny.problem(one, la.Precision()), "lattice-greedy")
        if solution.recoding is None:
            continue
        rows = tiny_releases.released_rows(one, solution)
        view = tiny_releases.view(one, la.Precision(), rows, "lattice-greedy")
        sizes, domain = tiny_releases.sizes(rows), tiny_releases.domain(one)
        count = refinement_oracle.tables_to_try(one, domain, sizes)
        if why_unsuitable(view) or not 1 < count <= 150:
            continue
        found = attack_by_combinatorial_refinement(view)
        tables = refinement_oracle.consistent(one, domain, sizes)
        expected = [class_findings(one, domain, shown, tables) for shown in sizes]
        if found.exact:
            assert found.narrowed_cells == sum(narrowed for narrowed, _ in expected)
            assert found.certain_rows == sum(certain for _, certain in expected)
            tried += 1
        if tried == (500 if THOROUGH else 40):
            return


def class_findings(one, domain, shown, tables):
    """Cells from which a value is excluded, and rows whose tuple is certain, of one class."""
    rows = tables[0][shown].total()
    fits = refinement_oracle.fits(one, domain, shown)
    possible = {row for table in tables for row in table[shown]}
    narrowed = sum(
        rows for a in range(len(shown)) if {row[a] for row in possible} < {row[a] for row in fits}
    )
    certain = sum(min(table[shown][row] for table in tables) for row in fits)
    return narrowed, certain if len(fits) > 1 else 0


def test_rows_withheld_leave_nothing_to_deduce():
    _, found = attacked(TABLE, POLICY, by="lattice-greedy:withhold=0.2", withheld=0.2)
    assert found.narrowed_cells == found.certain_labels == found.certain_rows == 0
    assert "20.0%" in found.sentences[0]


def test_other_algorithms_are_not_examined():
    _, found = attacked(TABLE, POLICY, by="mondrian")
    assert "mondrian" in found.not_examined
    assert found.sentences == (f"Combinatorial refinement was not examined: {found.not_examined}.",)


def test_labels_on_no_level_are_not_examined():
    """Intervals of classes tell the node only in part."""
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(2, 4, 8)},
        sensitive="sick",
        require=la.KAnonymity(3),
        show={"age": "interval"},
    )
    table = pa.table({"age": [*AGES, 7, 7, 7], "sick": ["y"] * 12})
    _, found = attacked(table, policy)
    assert "no level" in found.not_examined


def test_sentences_state_what_is_learned_and_hold_no_value():
    _, found = attacked(TABLE, POLICY)
    text = " ".join(found.sentences)
    assert "from 3 of 9 generalized cells" in text
    assert "certain for 6 of 9 rows" in text
    assert "[2" not in repr(found)
