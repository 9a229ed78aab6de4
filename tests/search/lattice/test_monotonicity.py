"""Searches that rely on a monotone policy refuse others, with a sentence."""

import pytest
import tiny

import lookalike as la


@pytest.mark.parametrize("by", [la.Samarati(), la.Incognito(), la.Hybrid()])
def test_they_refuse_starred_rows(by):
    starred = la.Conventions(suppressed="star")
    for problem in tiny.tiny_problems(30, seed=3):
        prepared = tiny.problem(problem, la.Loss(), starred)
        if problem.allowance:
            with pytest.raises(la.NotSuited, match="starred rows"):
                la.solve(prepared, by)
            return
