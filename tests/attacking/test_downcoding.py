"""Downcoding: worked examples, brute force over all tables, and the truth of many releases."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import downcoding_oracle
import numpy as np
import pyarrow as pa
import pytest
import refinement_oracle
import tiny
import tiny_releases
from effort import THOROUGH, effort

import lookalike as la
from lookalike.attacking.downcoding import Minimality, attack_by_downcoding, finer_counts
from lookalike.attacking.refinement.closed_classes import NO_PART, divided
from lookalike.attacking.refinement.visiting_order import level_bounds
from lookalike.attacking.release_view import view_release
from lookalike.tables.open import open_table

TABLES = 500 if THOROUGH else 40
BINARY = la.tree(
    [[str(i), f"{i // 2 * 2}-{i // 2 * 2 + 1}", f"{i // 4 * 4}+", "*"] for i in range(8)]
)


def seen(release, by):
    return view_release(
        release.released,
        release.policy,
        release.problem.counts,
        algorithm=by,
        suppressed=release.solution.suppressed,
    )


def test_clusters_of_a_binary_tree_are_recovered_completely():
    """Cohen's first attack: clustered data and a tree. Each class of two has one row on each side,
    so the attacker writes down the original table."""
    table = pa.table({"place": ["0", "1", "2", "3", "4", "5", "6", "7"]})
    policy = la.Policy(quasi_identifiers={"place": BINARY}, require=la.KAnonymity(2))
    found = attack_by_downcoding(
        seen(la.anonymize(table, policy, by="lattice-greedy"), "lattice-greedy")
    )
    assert found.cells == found.recovered_cells == found.exact_cells == found.recovered_rows == 8


def test_an_example_in_the_form_of_the_papers_first_figure():
    """Three rows per class, k = 3, zip code and income. In each generalized column that divides in
    two, a row on each side is certain; in a column that divides in three, nothing is."""
    table = pa.table(
        {
            "zip": ["91010", "91011", "91011", "20037", "20037", "20037"],
            "income": [125, 105, 80, 50, 20, 25],
        }
    )
    policy = la.Policy(
        quasi_identifiers={"zip": la.prefix(), "income": la.bands(25, 75)}, require=la.KAnonymity(3)
    )
    view = seen(la.anonymize(table, policy, by="mondrian"), "mondrian")
    assert sorted(view.columns[1].labels) == ["[0, 75)", "[75, 150)"]
    found = attack_by_downcoding(view)
    assert found.cells == 9  # 9101*, and both columns of income
    by_label = {own.labels: own.recovered_cells for own in found.by_class}
    assert by_label == {("9101*", "[75, 150)"): 2}  # a row in each zip code
    assert found.minimality is Minimality.LOWEST_LABELS


@pytest.mark.parametrize("minimality", [Minimality.LOWEST_LABELS, Minimality.UNDIVIDED])
def test_classes_are_as_over_all_tables_that_are_minimal(minimality):
    """Complete, for every table that the labels cover and that is minimal by the definition."""
    keeps = {
        Minimality.LOWEST_LABELS: downcoding_oracle.shows_lowest_labels,
        Minimality.UNDIVIDED: downcoding_oracle.is_undivided,
    }[minimality]
    by = "mondrian" if minimality is Minimality.LOWEST_LABELS else "cell-optimal"
    tried = certain = 0
    for one in tiny_releases.small_problems(731, rows=6, tuples=12):
        solution = la.solve(tiny.problem(one, la.Precision()), by)
        if solution.recoding is None:
            continue
        rows = tiny_releases.released_rows(one, solution)
        sizes, domain = tiny_releases.sizes(rows), tiny_releases.domain(one)
        if not 1 < refinement_oracle.tables_to_try(one, domain, sizes) <= 400:
            continue
        view = tiny_releases.view(one, la.Precision(), rows, by)
        every = {shown: refinement_oracle.fits(one, domain, shown) for shown in sizes}
        covered = downcoding_oracle.covered_tables(every.__getitem__, sizes)
        tables = [table for table in covered if keeps(one, table)]
        if not tables:
            continue  # the labels of this hierarchy are ambiguous, or equal rows were divided
        certain += compare(view, minimality, tables)
        tried += 1
        if tried == TABLES:
            break
    assert certain > tried // 4


def compare(view, minimality, tables):
    """Every bound against the range over all tables; nothing is certain where there is no bound."""
    bounds = {(own.of, own.column): own for own in finer_counts(view, minimality)}
    lowest = [low for low, _ in level_bounds(view)]
    for c, codes in enumerate(view.codes.tolist()):
        shown = tuple(own.labels[code] for own, code in zip(view.columns, codes, strict=True))
        for a, column in enumerate(view.columns):
            own = bounds.get((c, a))
            parts = (
                own.parts
                if own
                else divided(
                    column.table, column.covers[codes[a]], int(column.level[codes[a]]), lowest[a]
                )
            )
            if parts is None:
                continue
            value = {text: leaf for leaf, text in enumerate(column.table.labels[0])}
            counts = np.array(
                [
                    np.bincount(
                        [parts.part[value[row[a]]] for row in table[shown].elements()],
                        minlength=parts.count,
                    )
                    for table in tables
                ]
            )
            least, most = counts.min(axis=0), counts.max(axis=0)
            if own is None:
                assert not least.any()
            else:
                assert own.least == tuple(least.tolist())
                assert own.most == tuple(most.tolist())
    return any(any(own.least) for own in bounds.values())


def test_nodes_are_as_over_all_tables_for_which_they_are_minimal():
    tried = certain = 0
    for some in tiny_releases.small_problems(732, rows=7, tuples=12):
        one = replace(some, allowance=0, weights=[1.0] * len(some.weights))
        solution = la.solve(tiny.problem(one, la.Precision()), "flash")
        if solution.recoding is None:
            continue
        node = tuple(solution.recoding.node)
        rows = [downcoding_oracle.at(one, row, node) for row in one.rows]
        sizes, domain = tiny_releases.sizes(rows), tiny_releases.domain(one)
        view = tiny_releases.view(one, la.Precision(), rows, "flash")

        every = {
            shown: [
                row
                for row in refinement_oracle.fits(one, domain, shown)
                if downcoding_oracle.at(one, row, node) == shown
            ]
            for shown in sizes
        }
        if not 1 < refinement_oracle.tables_to_try(one, domain, sizes) <= 600:
            continue
        tables = [
            table
            for table in downcoding_oracle.covered_tables(every.__getitem__, sizes)
            if downcoding_oracle.is_minimal_node(one, node, table)
        ]
        assert tables
        if attack_by_downcoding(view).not_examined:
            continue  # a label has several meanings
        certain += compare(view, Minimality.MINIMAL_NODE, tables)
        tried += 1
        if tried == TABLES:
            break
    assert certain > tried // 10


def test_cuts_are_as_over_all_tables_for_which_they_are_minimal():
    rng = random.Random(733)
    tried = certain = 0
    while tried < TABLES:
        rows = [(rng.randint(0, 3), rng.choice([0, 0, 1])) for _ in range(rng.randint(3, 6))]
        k = rng.choice([2, 3])
        order = [sorted({row[a] for row in rows}) for a in range(2)]
        cuts = coarsened(rng, order, k, rows)
        view, values, sizes = released_by_cuts(rows, order, cuts, k)
        texts = [[str(value) for value in column] for column in order]
        every = {shown: list(itertools.product(*map(values.get, shown))) for shown in sizes}
        tables = [
            table
            for table in downcoding_oracle.covered_tables(every.__getitem__, sizes)
            if downcoding_oracle.are_minimal_cuts(
                texts, cuts, k, [row for own in table.values() for row in own.elements()]
            )
        ]
        if tables:
            certain += compare(view, Minimality.MINIMAL_CUTS, tables)
            tried += 1
    assert certain > tried // 4


def released_by_cuts(rows, order, cuts, k):
    """The view, the values of each interval as text, and the rows of each class."""
    ends = [[0, *sorted(own), len(order[a])] for a, own in enumerate(cuts)]
    pieces = [
        [values[first:last] for first, last in itertools.pairwise(ends[a])]
        for a, values in enumerate(order)
    ]
    shown = [
        tuple(
            next(label(piece) for piece in pieces[a] if value in piece)
            for a, value in enumerate(row)
        )
        for row in rows
    ]
    columns = {"x": la.bands(10), "y": la.bands(10)}
    policy = la.Policy(quasi_identifiers=columns, require=la.KAnonymity(k))
    tables = [
        open_table(pa.table({name: [row[a] for row in own] for a, name in enumerate("xy")}))
        for own in (rows, shown)
    ]
    view = view_release(tables[1], policy, tables[0].count_groups(["x", "y"]))
    values = {label(piece): list(map(str, piece)) for own in pieces for piece in own}
    return view, values, tiny_releases.sizes(shown)


def coarsened(rng, order, k, rows):
    """Cuts of which none can be added, found by adding cuts in a random order."""
    cuts = [[] for _ in order]
    every = [(a, cut) for a, values in enumerate(order) for cut in range(1, len(values))]
    rng.shuffle(every)
    for a, cut in every:
        more = [[*own, cut] if at == a else own for at, own in enumerate(cuts)]
        place = [
            tuple(sum(order[b].index(value) >= c for c in more[b]) for b, value in enumerate(row))
            for row in rows
        ]
        if min(map(place.count, place)) >= k:
            cuts = more
    return cuts


def label(values):
    return str(values[0]) if len(values) == 1 else f"[{values[0]}–{values[-1]}]"


@pytest.mark.parametrize(
    "by",
    ["flash", "incognito", "mingen", "samarati", "mondrian", "k-member", "mdav", "lattice-greedy"],
)
@pytest.mark.parametrize("metric", [la.Precision(), la.Loss()])
def test_the_truth_is_never_excluded(by, metric):
    rng = random.Random(734)
    checked = 0
    for _ in range(effort(80)):
        rows = rng.randint(8, 40)
        table = pa.table(
            {
                "age": [rng.randint(20, 45) for _ in range(rows)],
                "zip": [rng.choice(["10", "11", "20", "21"]) for _ in range(rows)],
            }
        )
        policy = la.Policy(
            quasi_identifiers={"age": la.bands(5, 10, 20), "zip": la.prefix()},
            require=la.KAnonymity(rng.choice([2, 3, 5])),
            metric=metric,
        )
        release = la.anonymize(table, policy, by=by)
        checked += check_truth(release, seen(release, by), table)
    assert checked


@pytest.mark.parametrize("rows", [6, 12])
def test_the_truth_of_cuts_is_never_excluded(rows):
    rng = random.Random(735)
    checked = 0
    for _ in range(effort(120)):
        table = pa.table({"age": [rng.randint(20, 45) for _ in range(rows)]})
        policy = la.Policy(
            quasi_identifiers={"age": la.bands(5, 10)}, require=la.KAnonymity(3), metric=la.Loss()
        )
        release = la.anonymize(table, policy, by="k-optimize")
        checked += check_truth(release, seen(release, "k-optimize"), table)
    assert checked


def check_truth(release, view, table):
    """Counts of the original rows are within the bounds, whichever class a label belongs to."""
    found = attack_by_downcoding(view)
    assert found.minimality is not None, found.not_examined
    names = view.policy.names
    counted = release.problem.counts
    leaf = counted.codes.tolist()
    inside = [[c for c in range(view.classes) if view.fits(np.array(own))[c]] for own in leaf]
    for own in finer_counts(view, found.minimality):
        column = names.index(view.columns[own.column].name)
        most = np.zeros(own.parts.count, dtype=np.int64)
        for number, (codes, classes) in enumerate(zip(leaf, inside, strict=True)):
            part = own.parts.part[codes[column]]
            if own.of in classes and part != NO_PART:
                most[part] += int(counted.counts[number])
        assert (most >= np.array(own.least)).all()  # as many rows could be there
    return found.recovered_cells


def test_without_a_minimal_recoding_nothing_is_deduced():
    table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    release = la.anonymize(table, policy, by="datafly")
    found = attack_by_downcoding(seen(release, "datafly"))
    assert "not known" in found.not_examined
    with_allowance = replace_policy(policy, suppress=0.5)
    release = la.anonymize(table, with_allowance, by="flash")
    assert "suppressed" in attack_by_downcoding(seen(release, "flash")).not_examined
    release = la.anonymize(table, policy, by="lattice-greedy:withhold=0.5")
    assert (
        "held back"
        in attack_by_downcoding(seen(release, "lattice-greedy"), withheld=0.5).not_examined
    )


def replace_policy(policy, **changes):
    return la.Policy(quasi_identifiers=dict(policy.hierarchies), require=policy.require, **changes)
