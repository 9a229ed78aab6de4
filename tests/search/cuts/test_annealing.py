"""Simulated annealing over cuts: what it offers is safe, and seeds repeat."""

from cut_rival_laws import CutRivalLaws

import lookalike as la


class TestAnnealing(CutRivalLaws):
    rival = la.Annealing(steps=200)
