"""The choice of levels: the score, its sensitivity, and the walk through large lattices."""

import random
from fractions import Fraction

import pytest
from effort import effort
from private_mechanism import policy_of, table_of, tiny_tables
from private_mechanism_oracle import NODES, score

import lookalike as la
from lookalike.problem.prepare import prepare
from lookalike.releasing import private_levels as choosing
from lookalike.releasing.private_levels import Scoring, private_levels, promise_of
from lookalike.releasing.randomness import SecureRandomness
from lookalike.tables.open import open_table

RULE = la.DifferentialPrivacy(1.0, 0.4, 0.3)


def scoring_of(rows):
    problem = prepare(open_table(table_of(rows)), policy_of(RULE), drawing=True)
    return Scoring(problem, promise_of(problem.policy))


def test_the_score_is_that_of_the_definition():
    for rows, _ in tiny_tables(effort(80)):
        scoring = scoring_of(rows)
        for node in NODES:
            assert float(scoring.score(node)) == pytest.approx(score(rows, node, scoring.spare))


def test_one_row_more_never_lowers_a_score_and_raises_it_by_at_most_the_sensitivity():
    rises = set()
    for rows, another in tiny_tables(effort(160)):
        before, after = scoring_of(rows), scoring_of([*rows, another])
        for node in NODES:
            rise = after.score(node) - before.score(node)
            assert 0 <= rise <= before.detail(node) <= before.detail(before.problem.low)
            rises.add(rise)
    assert len(rises) > 3


def test_a_class_that_is_expected_to_be_shown_counts():
    scoring = scoring_of([(25, "a")] * 9)
    rule = promise_of(scoring.problem.policy)
    assert (scoring.spare + 1) * rule.beta >= rule.k > scoring.spare * rule.beta


def test_the_walk_visits_each_node_once_and_spends_all_in_equal_parts(monkeypatch):
    monkeypatch.setattr(choosing, "MAX_CANDIDATES", 0)
    spent, seen = [], []

    def choose(scores, epsilon, sensitivity, randomness):
        spent.append(epsilon)
        seen.append(len(scores))
        return random.Random(len(spent)).randrange(len(scores))

    monkeypatch.setattr(choosing, "choose", choose)
    rows = [(25, "a"), (45, "b"), (23, "a"), (25, "a"), (31, "b")]
    problem = prepare(open_table(table_of(rows)), policy_of(RULE), drawing=True)
    assert private_levels(problem, SecureRandomness()) in NODES
    assert sum(spent) == Fraction("0.3")
    assert len(set(spent)) == 1
    assert seen[-1] == len(spent) == 4  # three steps from the top, and a last draw of four nodes


def test_a_walk_with_much_to_spend_finds_the_best_node(monkeypatch):
    monkeypatch.setattr(choosing, "MAX_CANDIDATES", 0)
    monkeypatch.setattr(
        choosing, "choose", lambda scores, *_: max(range(len(scores)), key=scores.__getitem__)
    )
    rows = [(20 + n % 20, "ab"[n % 2]) for n in range(400)]
    scoring = scoring_of(rows)
    best = max(NODES, key=scoring.score)
    assert private_levels(scoring.problem, SecureRandomness()) == best


def test_given_levels_are_taken_without_a_draw():
    policy = policy_of(la.DifferentialPrivacy(1.0, 0.4), (1, 0))
    problem = prepare(open_table(table_of([(25, "a")] * 5)), policy, drawing=True)
    assert private_levels(problem, None) == (1, 0)
