"""μ-Argus on random tables: a true generalization, no rare combination left, decisions minded."""

import itertools
import random
from collections import Counter
from dataclasses import replace

import pytest
import tiny
from effort import effort

import lookalike as la


def some_problems(count, seed):
    rng = random.Random(seed)
    for one in tiny.tiny_problems(count, seed):
        policy = replace(tiny.policy(one, la.Precision()), levels={}, suppress=0)
        levels = {name: rng.randint(0, 3) for name in policy.names}
        if not any(levels.values()):
            levels[policy.names[0]] = 1
        yield tiny.table(one), replace(policy, identifying=levels), one


@pytest.mark.parametrize("part", range(2))
def test_what_it_tests_it_keeps(part):
    """Every pair and triple of columns that is shown without a blank is shown by k rows of the
    table as generalized; and the verifier agrees with all that is claimed, k apart."""
    for table, policy, one in some_problems(effort(40), part):
        problem = la.prepare(table, policy)
        solution = la.solve(problem, la.MuArgus())
        seen = la.examine(table, problem, solution)
        wrong = [f for f in seen.certificate.findings if not f.holds]
        assert all(finding.check == "k-anonymity" for finding in wrong), wrong
        assert (solution.status is la.UNMET) == bool(wrong)
        assert (solution.status is la.UNMET) == bool(seen.exposed.as_own)
        names = [name for name in policy.names if policy.identifying[name]]
        heights = {t.name: t.height for t in problem.tables}
        node = _node(problem, solution)
        whole = _generalized(one, node)
        shown = list(zip(*(seen.table.to_pydict()[n] for n in policy.names), strict=True))
        assert len(shown) == len(one.rows)
        for size in (2, 3):
            for columns in itertools.combinations(names, size):
                at = [policy.names.index(name) for name in columns]
                held = Counter(tuple(row[a] for a in at) for row in whole)
                for row in shown:
                    cells = tuple(row[a] for a in at)
                    blank = any(
                        cell == "*" and node[a] < heights[policy.names[a]]
                        for cell, a in zip(cells, at, strict=True)
                    )
                    assert blank or held[cells] >= one.k


def _node(problem, solution):
    """The level of each column where it is not blanked."""
    levels = solution.recoding.levels
    return [
        min((level for level in levels[:, a] if level < t.height), default=t.height)
        for a, t in enumerate(problem.tables)
    ]


def _generalized(one, node):
    return [
        tuple(h[value][level] for h, value, level in zip(one.hierarchies, row, node, strict=True))
        for row in one.rows
    ]


def test_scripted_decisions_and_a_function_come_to_the_same():
    for table, policy, _ in some_problems(30, 50):
        problem = la.prepare(table, policy)
        choices = []

        def decide(outliers, choices=choices):
            if len(choices) == 2:
                return None
            choices.append(outliers.can_rise[0])
            return outliers.can_rise[0]

        by_function = la.solve(problem, la.MuArgus(decide=decide))
        by_script = la.solve(problem, la.MuArgus(decide=tuple(choices)))
        assert by_function.recoding == by_script.recoding


def with_outliers():
    """A problem about which the data holder is asked."""
    for table, policy, _ in some_problems(50, 3):
        problem = la.prepare(table, policy)
        asked = []
        la.solve(problem, la.MuArgus(decide=asked.append))
        if asked:
            return problem
    raise AssertionError("no table has rare combinations")


def test_bad_decisions_are_faults():
    problem = with_outliers()
    for decide in (["no such column"], lambda outliers: "no such column"):
        with pytest.raises(la.PolicyError, match="choose one of"):
            la.solve(problem, la.MuArgus(decide=decide))

    def broken(outliers):
        raise RuntimeError("a value of the table: 02138")

    with pytest.raises(la.PolicyError, match="raised RuntimeError") as caught:
        la.solve(problem, la.MuArgus(decide=broken))
    assert "02138" not in str(caught.value)


def test_a_preference_that_raises_or_invents_is_a_fault():
    table, policy, _ = next(iter(some_problems(1, 3)))
    problem = la.prepare(table, policy)
    with pytest.raises(la.PolicyError, match="raised ZeroDivisionError"):
        la.solve(problem, la.MinGen(preferred=lambda found: 1 / 0))
    with pytest.raises(la.PolicyError, match="not one of those offered"):
        la.solve(problem, la.MinGen(preferred=lambda found: None))


def test_nothing_identifying_is_refused():
    table, policy, _ = next(iter(some_problems(1, 3)))
    none = replace(policy, identifying=dict.fromkeys(policy.names, 0))
    with pytest.raises(la.NotSuited, match="nothing would be tested"):
        la.solve(la.prepare(table, none), la.MuArgus())


def test_a_class_under_k_that_is_shown_costs_the_whole_table_by_row_in_discernibility():
    """|E| < k is charged |D|·|E|, counted here on the table as shown; the verifier agrees."""
    small = 0
    for table, by_precision, one in some_problems(30, 3):
        policy = replace(by_precision, metric=la.Discernibility())
        problem = la.prepare(table, policy)
        solution = la.solve(problem, la.MuArgus())
        seen = la.examine(table, problem, solution)
        shown = Counter(zip(*(seen.table.to_pydict()[n] for n in policy.names), strict=True))
        charged = [n * n if n >= one.k else len(one.rows) * n for n in shown.values()]
        assert solution.cost == sum(charged)
        [row] = la.compare(problem, [la.MuArgus()]).rows
        assert row.measures["discernibility"] == sum(charged)
        assert all(f.holds for f in seen.certificate.findings if f.check == "cost")
        small += any(n < one.k for n in shown.values())
    assert small > 5
