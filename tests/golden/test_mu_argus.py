"""Sweeney 2002, Figs. 11 to 15, by lookalike itself: μ-Argus, and where it fails."""

import paper_figures as figures
import pytest

import lookalike as la
from golden.test_sweeney import FIGURE_7, figure_7_policy

LEVELS = {"Race": 3, "BirthDate": 1, "Gender": 2, "ZIP": 2}
NAMES = list(figures.FIGURE_7_PT)


def examined(tests):
    policy = figure_7_policy(1, 0, identifying=LEVELS, model="AG_CS")
    problem = la.prepare(FIGURE_7, policy)
    solution = la.solve(problem, la.MuArgus(tests=tests))
    return solution, la.examine(FIGURE_7, problem, solution)


def printed(table):
    """The rows as the figure prints them, each with its Problem, which distinguishes rows."""
    problems = {name: row[4] for name, row in figures.FIGURE_7_PT.items()}
    shown = {name: tuple("*" if v is None else v for v in row) for name, row in table.items()}
    return {(*row, problems[name]): name for name, row in shown.items()}


def rows(examination):
    return list(zip(*examination.table.to_pydict().values(), strict=True))


def exposed(examination, table, numbers):
    names = printed(table)
    return {names[rows(examination)[number - 1]] for number in numbers}


@pytest.mark.parametrize(
    ("tests", "table", "as_own", "as_wildcard"),
    [
        ("all", figures.FIGURE_15_MT, {"t7", "t8"}, set()),
        ("figure-13", figures.FIGURE_15_MT_ACTUAL, {"t7", "t8"}, {"t7", "t8"}),
    ],
)
def test_figure_15_and_who_is_exposed(tests, table, as_own, as_wildcard):
    solution, found = examined(tests)
    assert sorted(rows(found)) == sorted(printed(table))
    assert exposed(found, table, found.exposed.as_own) == as_own
    assert exposed(found, table, found.exposed.as_wildcard) == as_wildcard
    assert solution.status is la.UNMET
    [said] = [f for f in found.certificate.findings if f.check == "k-anonymity"]
    assert not said.holds
    assert "2 rows have fewer than 2 rows" in said.sentence
    assert ("if * may stand for any value, no row" in said.sentence) == (not as_wildcard)
    assert "match fewer than 2 rows" in said.sentence
    assert "rows are compared by the cells that both show; people are not counted" in said.sentence
    others = [f for f in found.certificate.findings if f.check != "k-anonymity"]
    assert all(f.holds for f in others), others


def test_neither_can_be_released():
    policy = figure_7_policy(1, 0, identifying=LEVELS)
    for tests in ("all", "figure-12", "figure-13"):
        with pytest.raises(la.ReleaseRefused, match="k-anonymity") as refused:
            la.anonymize(FIGURE_7, policy, la.MuArgus(tests=tests))
        [fault] = refused.value.faults
        assert "the release, which was not written, not to the table" in fault.problem
        assert "la.examine" in fault.fix
        assert "--by auto" in fault.fix


def test_step_2_generalizes_birth_date_to_years():
    policy = figure_7_policy(1, 0, identifying=LEVELS)
    problem = la.prepare(FIGURE_7, policy)
    seen = []
    la.solve(problem, la.MuArgus(decide=seen.append))
    assert seen[0].levels == {"Race": 0, "BirthDate": 2, "Gender": 0, "ZIP": 0}


def test_figure_14_all_combinations_of_t7_and_t8():
    """The figure, and {race, sex, zip} of t8, which it omits."""
    problem = la.prepare(FIGURE_7, figure_7_policy(1, 0, identifying=LEVELS))
    seen = []
    la.solve(problem, la.MuArgus(decide=seen.append))
    short = dict(zip(figures.MU_ARGUS_ATTRIBUTES, problem.names, strict=True))
    expected = [
        frozenset(short[a] for a in combination)
        for combinations in figures.FIGURE_14_OUTLIERS.values()
        for combination in combinations
    ]
    expected.append(frozenset({"Race", "Gender", "ZIP"}))
    found = {frozenset(columns): rows for columns, rows in seen[0].combinations.items()}
    assert found == {columns: expected.count(columns) for columns in expected}
    assert seen[0].rows == 2


def test_what_the_program_tests_by_figure_12():
    from lookalike.search.cells.cell_suppression.mu_argus import _combinations

    def kinds(levels):
        return {
            tuple(sorted(levels[a] for a in columns))
            for columns in _combinations(levels, "figure-12")
        }

    words = {"Most": 1, "More": 2, "Identifying": 3}
    always = {tuple(sorted(words[w] for w in one)) for one in figures.FIGURE_12_ALWAYS}
    more = {
        tuple(sorted(words[w] for w in one))
        for one in figures.FIGURE_12_ONLY_IF_SEVERAL_IDENTIFYING
    }
    assert kinds([1, 1, 1, 2, 2, 2, 3]) == always
    assert kinds([1, 1, 1, 2, 2, 2, 3, 3, 3]) == always | more
