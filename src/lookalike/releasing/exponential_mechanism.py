"""The exponential mechanism: choose by a score, and reveal little of the data behind the score.

McSherry and Talwar 2007. Candidate c is chosen with a probability proportional to e^(ε·score(c)/Δ),
where Δ (the sensitivity) is the most that one more row can change any score.

**ε-differential privacy.** Let no score fall, and none rise by more than Δ, when a row is added.
Each weight then grows by a factor from 1 to e^ε, and so does the sum of the weights. The
probability of a candidate, one weight over the sum, therefore changes by a factor from e^−ε to e^ε.
(If scores could move both ways, the exponent would have to be halved.) The candidates must not
depend on the rows.

**Exact.** Floating point can break this proof (Mironov 2012; Ilvento 2020). Here scores are
fractions and nothing is rounded: a candidate is drawn uniformly and accepted with probability
e^(ε·(score − best)/Δ), until one is accepted. Some candidate has the best score and is always
accepted, so the expected number of draws is at most the number of candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lookalike.releasing.randomness import Randomness, below, happens_exp


def choose(
    scores: Sequence[Fraction], epsilon: Fraction, sensitivity: Fraction, randomness: Randomness
) -> int:
    """The place of a candidate, drawn by the scores of all."""
    best = max(scores)
    while True:
        place = below(len(scores), randomness)
        if happens_exp(epsilon * (best - scores[place]) / sensitivity, randomness):
            return place
