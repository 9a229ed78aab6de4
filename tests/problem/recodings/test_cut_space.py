"""Which recodings by cuts a policy allows, against the definition, on every subset of the cuts."""

import itertools
from dataclasses import replace

import pyarrow as pa
import pytest
import tiny

import lookalike as la
from lookalike.problem.prepare import tabulate
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import why_not_cut
from lookalike.solution.recoding import Cuts
from lookalike.verifier.claim.cuts.recoding import check_fit
from lookalike.verifier.counted_original import CountedOriginal


def groups_at(table, level):
    """The groups of a level, as sets of the values that occur."""
    codes = table.codes[:, level].tolist()
    return [{leaf for leaf, c in enumerate(codes) if c == code} for code in dict.fromkeys(codes)]


def members(group, groups):
    """The largest groups that are a part of a group."""
    parts = [other for other in groups if other < group]
    return [part for part in parts if not any(part < other for other in parts)]


def is_union(interval, sets):
    inside = [one for one in sets if one <= interval]
    return set().union(*inside) == interval


def allowed(table, low, high, parts, siblings):
    """The definition, word for word."""
    groups = [group for level in range(table.height + 1) for group in groups_at(table, level)]
    return all(
        is_union(part, groups_at(table, low))
        and any(part <= group for group in groups_at(table, high))
        and (
            not siblings
            or part in groups
            or any(is_union(part, members(group, groups)) for group in groups)
        )
        for part in parts
    )


@pytest.mark.parametrize("cuts", ["free", "siblings"])
def test_the_space_is_what_the_policy_says(cuts):
    """Intervals within levels; by siblings, each a union of members of one group."""
    said = {True: 0, False: 0}
    for one in tiny.tiny_problems(500, 21):
        policy = tiny.policy(one, la.Loss(), la.Conventions(cuts=cuts))
        counts = tiny.counts(one)
        problem = Problem(policy, counts, tabulate(policy, counts)[0])
        assert why_not_cut(problem) is None
        for a, table in enumerate(problem.tables):
            order = table.order.tolist()
            low, high = problem.low[a], problem.high[a]
            others = coarsest(problem)
            for size in range(table.leaves):
                for chosen in itertools.combinations(range(1, table.leaves), size):
                    edges = [0, *chosen, len(order)]
                    parts = [set(order[i:j]) for i, j in itertools.pairwise(edges)]
                    expected = allowed(table, low, high, parts, cuts == "siblings")
                    recoding = Cuts(problem.names, (*others[:a], chosen, *others[a + 1 :]))
                    assert problem.cut_space.holds(recoding) == expected
                    original = CountedOriginal(problem.counts, problem.tables, policy)
                    assert (check_fit(original, recoding) is None) == expected
                    said[expected] += 1
    assert min(said.values()) > 200


def coarsest(problem):
    """The forced cuts of each column."""
    space = problem.cut_space
    forced = [cut for cut in range(len(space.column)) if space.forced[cut]]
    return space.recoding(forced).cuts


def test_recodings_outside_the_space_do_not_meet():
    table = pa.table({"job": ["a", "b", "c", "d"] * 5, "ill": ["x"] * 20})
    policy = la.Policy(
        quasi_identifiers={"job": la.tree({"one": ["a", "b"], "two": ["c", "d"]})},
        sensitive="ill",
        require=la.KAnonymity(2),
        metric=la.Discernibility(),
    )

    def meets(policy, *cuts):
        problem = la.prepare(table, policy)
        return problem.evaluate(Cuts(problem.names, (cuts,))).meets

    assert all(meets(policy, *cuts) for cuts in [(1,), (2,), ()])
    assert not meets(policy, 4)  # there are four values
    siblings = replace(policy, conventions=la.Conventions(cuts="siblings"))
    assert all(meets(siblings, *cuts) for cuts in [(2,), (1, 2)])
    assert not meets(siblings, 1)
    fine = replace(policy, levels={"job": (0, 1)})
    assert all(meets(fine, *cuts) for cuts in [(2,), (1, 2)])
    assert not meets(fine)
    coarse = replace(policy, levels={"job": (1, 2)})
    assert all(meets(coarse, *cuts) for cuts in [(2,), ()])
    assert not meets(coarse, 1, 2)


def test_a_column_without_an_order_cannot_be_cut():
    table = pa.table({"zip": ["1", "2", "3"] * 5, "ill": ["x"] * 15})
    policy = la.Policy(
        quasi_identifiers={"zip": la.flat()},
        sensitive="ill",
        require=la.KAnonymity(2),
        metric=la.Discernibility(),
    )
    problem = la.prepare(table, policy)
    assert "no order to cut" in why_not_cut(problem)
    assert not problem.evaluate(Cuts(("zip",), ((1,),))).meets
    original = CountedOriginal(problem.counts, problem.tables, policy)
    assert check_fit(original, Cuts(("zip",), ((1,),))) is not None
