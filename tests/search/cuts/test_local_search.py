"""Steps of the local searches over cuts: what they are worth, against counting row by row."""

import numpy as np
from cut_oracle import METRICS, outcome, problem
from cut_rival_laws import TINY

from lookalike.search.cuts.local_search import Steps


def test_every_step_is_worth_what_the_look_says():
    """The cost of a set, and of every neighbor, compared with counting row by row."""
    rng = np.random.default_rng(3)
    for tiny in TINY:
        for metric in METRICS:
            steps = Steps.of(problem(tiny, metric))
            flags = steps.at_random(rng, rng.random())

            def valued(flags, tiny=tiny, metric=metric, steps=steps):
                cuts = {tiny.cuts[cut] for cut in np.flatnonzero(flags)}
                suppressed, costs = outcome(tiny, cuts)
                over = max(0, suppressed - min(tiny.limit, len(tiny.rows) - 1))
                return costs[metric] + over * steps._fine

            value, changed = steps.around(flags)
            assert value == steps.value(flags) == valued(flags)
            for cut in steps.free:
                other = flags.copy()
                other[cut] = not other[cut]
                assert changed[cut] == valued(other)
