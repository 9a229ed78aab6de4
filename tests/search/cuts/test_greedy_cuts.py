"""The greedy descent over cuts: what it offers is safe, and seeds repeat."""

from cut_rival_laws import CutRivalLaws

import lookalike as la


class TestGreedy(CutRivalLaws):
    rival = la.Greedy()
