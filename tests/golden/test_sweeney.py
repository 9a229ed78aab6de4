"""Sweeney 2002, by lookalike itself: examples 2 to 6, equation 1, Datafly's trace and result."""

from fractions import Fraction

import oracle
import paper_figures as figures
import pyarrow as pa
import pytest

import lookalike as la


def table(columns, rows):
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(columns)})


def tree(hierarchy):
    return la.tree(list(hierarchy.values()))


FIGURE_4 = table(("Race", "ZIP"), figures.FIGURE_4_PT)
FIGURE_4_NODES = tuple(figures.FIGURE_4_GT)


def figure_4_policy(k, **more):
    return la.Policy(
        quasi_identifiers={"Race": tree(figures.RACE), "ZIP": tree(figures.ZIP)},
        require=(la.KAnonymity(k),),
        **more,
    )


def figure_7_policy(gender_height, suppress, **more):
    trees = figures.FIGURE_7_HIERARCHIES[gender_height]
    return la.Policy(
        quasi_identifiers=dict(zip(figures.FIGURE_7_COLUMNS[:4], map(tree, trees), strict=True)),
        sensitive=("Problem",),
        require=(la.KAnonymity(2),),
        suppress=suppress,
        **more,
    )


FIGURE_7 = table(figures.FIGURE_7_COLUMNS, list(figures.FIGURE_7_PT.values()))


def test_figure_1_already_has_k_2():
    risk = la.risk(table(figures.FIGURE_1_COLUMNS, figures.FIGURE_1), figures.FIGURE_1_COLUMNS[:4])
    assert risk.smallest == 2
    assert risk.classes == 3
    assert risk.unique == 0


@pytest.mark.parametrize("column", figures.FIGURE_1_COLUMNS[:4])
def test_example_2_every_value_occurs_at_least_k_times(column):
    whole = table(figures.FIGURE_1_COLUMNS, figures.FIGURE_1)
    expected = [n for (name, _), n in figures.EXAMPLE_2_OCCURRENCES.items() if name == column]
    from lookalike.tables.open import open_table

    found = open_table(whole).count_groups([column])
    assert sorted(found.counts.tolist()) == sorted(expected)
    assert la.risk(whole, [column]).smallest == min(expected) >= 2


@pytest.mark.parametrize("node", FIGURE_4_NODES)
def test_example_3_which_k_each_generalization_satisfies(node):
    holds = {
        k
        for k in (2, 3, 4, 5)
        if la.prepare(FIGURE_4, figure_4_policy(k)).evaluate_node(node).meets
    }
    assert holds == figures.EXAMPLE_3_SATISFIED_K[node]


def test_example_4_the_k_minimal_generalizations_of_figure_4():
    found = la.k_minimal_generalizations(la.prepare(FIGURE_4, figure_4_policy(2)))
    assert {levels.levels for levels in found} == {(0, 1), (1, 0)}


def test_equation_1_counts_the_generalizations():
    problem = la.prepare(FIGURE_4, figure_4_policy(2))
    assert problem.nodes == (2 + 1) * (3 + 1)
    solution = la.solve(problem, la.MinGen())
    assert solution.checks == problem.nodes


def test_example_5_precision_is_1_for_the_original_and_0_for_nothing_but_stars():
    names = figures.FIGURE_1_COLUMNS
    policy = la.Policy(
        quasi_identifiers={name: la.flat() for name in names[:4]},
        sensitive=names[4:],
        require=(la.KAnonymity(2),),
    )
    problem = la.prepare(table(names, figures.FIGURE_1), policy)
    assert 1 - problem.evaluate_node((0, 0, 0, 0)).cost == 1
    assert 1 - problem.evaluate_node((1, 1, 1, 1)).cost == 0
    assert la.solve(problem).cost == 0


@pytest.mark.parametrize("node", FIGURE_4_NODES)
def test_example_6_precisions(node):
    exact = {(1, 0): Fraction(3, 4), (1, 1): Fraction(7, 12), (0, 2): Fraction(2, 3),
             (0, 1): Fraction(5, 6)}[node]  # fmt: skip
    cost = la.prepare(FIGURE_4, figure_4_policy(2)).evaluate_node(node).cost
    assert 1 - cost == pytest.approx(float(exact), abs=1e-12)
    assert f"{1 - cost:.2f}" == figures.EXAMPLE_6_PREC[node]


@pytest.mark.parametrize("by", [la.MinGen(), la.Flash()])
def test_only_gt_0_1_is_a_k_minimal_distortion(by):
    solution = la.solve(la.prepare(FIGURE_4, figure_4_policy(2)), by)
    assert solution.recoding.levels == (0, 1)
    assert solution.alternatives == ()
    assert solution.status is la.OPTIMAL


@pytest.mark.parametrize("node", FIGURE_4_NODES)
def test_the_release_of_each_node_is_the_table_printed(node):
    levels = {"Race": (node[0], node[0]), "ZIP": (node[1], node[1])}
    release = la.anonymize(FIGURE_4, figure_4_policy(2, levels=levels))
    rows = zip(*release.table.to_pydict().values(), strict=True)
    assert sorted(rows) == sorted(map(tuple, figures.FIGURE_4_GT[node]))


@pytest.mark.parametrize("gender_height", [1, 2])
def test_datafly_generalizes_the_birth_date_twice_as_in_figure_9(gender_height):
    problem = la.prepare(FIGURE_7, figure_7_policy(gender_height, suppress=2))
    solution = la.solve(problem, la.Datafly())
    assert solution.checks == 3  # the original, month/year, year
    assert sorted(solution.proof.nodes)[-1] == figures.FIGURE_10_LEVELS
    distinct = [len(values) for values in problem.counts.values]
    assert tuple(distinct) == figures.FIGURE_9_A_DISTINCT
    assert problem.evaluate_node(figures.FIGURE_10_LEVELS).suppressed == 2


@pytest.mark.parametrize("gender_height", [1, 2])
def test_datafly_gives_the_table_of_figure_10_with_precision_exactly_75(gender_height):
    policy = figure_7_policy(gender_height, suppress=2)
    release = la.anonymize(FIGURE_7, policy, by=la.Datafly())
    assert release.solution.recoding.levels == figures.FIGURE_10_LEVELS
    assert 1 - release.solution.cost == pytest.approx(0.75, abs=1e-12)
    rows = zip(*release.table.to_pydict().values(), strict=True)
    assert sorted(rows) == sorted(map(tuple, figures.FIGURE_10_MGT))


@pytest.mark.parametrize("gender_height", [1, 2])
@pytest.mark.parametrize("suppress", [0, 1, 2, 12])
def test_mingen_and_flash_agree_with_the_oracle_on_figure_7(gender_height, suppress):
    rows = [row[:4] for row in figures.FIGURE_7_PT.values()]
    trees = figures.FIGURE_7_HIERARCHIES[gender_height]
    best, nodes = oracle.brute_force(rows, trees, [1] * 4, 2, suppress, oracle.precision_cost)
    problem = la.prepare(FIGURE_7, figure_7_policy(gender_height, suppress))
    for by in (la.MinGen(), la.Flash()):
        solution = la.solve(problem, by).expect(la.OPTIMAL)
        assert solution.cost == pytest.approx(float(best))
        assert solution.recoding.levels in nodes


def test_weighted_precision_makes_the_preference_explicit():
    race_matters = figure_4_policy(2, weights={"Race": 9.0, "ZIP": 1.0})
    zip_matters = figure_4_policy(2, weights={"Race": 1.0, "ZIP": 9.0})
    assert la.solve(la.prepare(FIGURE_4, race_matters)).recoding.levels == (0, 1)
    assert la.solve(la.prepare(FIGURE_4, zip_matters)).recoding.levels == (1, 0)


def test_samaratis_nine_tuples_have_two_minimal_generalizations_with_two_rows_suppressed():
    rows = list(figures.SAMARATI_PT.values())
    policy = la.Policy(
        quasi_identifiers={
            "Race": tree(figures.SAMARATI_RACE),
            "ZIP": tree(figures.SAMARATI_ZIP),
        },
        require=(la.KAnonymity(2),),
        suppress=figures.SAMARATI_MAX_SUP,
    )
    problem = la.prepare(table(("Race", "ZIP"), rows), policy)
    solution = la.solve(problem, la.Samarati())
    found = {solution.recoding.levels, *(other.levels for other in solution.alternatives)}
    assert found == set(figures.SAMARATI_GT)
    for node in figures.SAMARATI_GT:
        assert problem.evaluate_node(node).suppressed == len(figures.SAMARATI_SUPPRESSED[node])
