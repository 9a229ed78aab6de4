"""The genetic algorithm over cuts: what it offers is safe, and seeds repeat."""

from cut_rival_laws import CutRivalLaws

import lookalike as la


class TestGenetic(CutRivalLaws):
    rival = la.Genetic(population=12, children=150)
