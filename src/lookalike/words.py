"""The glossary: every term that is explained, with its one name, a short gloss and its meaning.

The terminal, the report and the studio take their terms from here, so that each thing has the same
name everywhere. Keys are the words of the policy file, the certificate and the solution; names are
what a reader sees. ``TERMS`` holds what has no such key, by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the field."""

    name: str  # as written in a sentence
    gloss: str  # the same in a few plain words
    meaning: str  # one sentence

    @property
    def label(self) -> str:
        """The name with its gloss: ``suppressed (left out)``."""
        return f"{self.name} ({self.gloss})" if self.gloss else self.name


def claim_heading(status: str, *, gap_known: bool = False) -> str:
    """A result's status in a few words: ``Optimal (proved to be the best possible)``."""
    label = STATUSES[status].label
    if status == "feasible":
        label += "; the gap is known" if gap_known else "; no useful lower bound is known"
    return label[0].upper() + label[1:]


# fmt: off
ROLES: Mapping[str, Term] = {
    "quasi-identifier": Term("quasi-identifier", "could be known to an outsider",
        "A quasi-identifier is a column that an outsider could know about a person, such as age, "
        "place or sex; together such columns single people out, so they are generalized."),
    "identifier": Term("identifier", "names a person",
        "An identifier names one person, for example a name or a patient number; it is removed."),
    "sensitive": Term("sensitive", "must stay private",
        "A sensitive column holds what nobody should learn about a person, such as a diagnosis; "
        "it is kept unchanged."),
    "insensitive": Term("kept unchanged", "harmless",
        "A column that is kept unchanged is harmless, and an outsider could not know it."),
    "pseudonym": Term("pseudonym", "replaced by a keyed code",
        "A pseudonym replaces a value by a code made with a secret key, so that rows of one "
        "person can still be joined."),
}
STATUSES: Mapping[str, Term] = {
    "optimal": Term("optimal", "proved to be the best possible",
        "The result meets the policy, and it is proved that no recoding of its kind costs less."),
    "feasible": Term("feasible", "meets the policy",
        "The result meets the policy; the gap says how much less another recoding could cost."),
    "infeasible": Term("infeasible", "the policy cannot be met",
        "It is proved that no recoding of this kind meets the policy."),
    "unknown": Term("unknown", "nothing found yet",
        "The search has not found a recoding that meets the policy."),
    "unmet": Term("unmet", "does not meet the policy",
        "The algorithm's own result does not meet the policy, so it must not be released."),
}
STOPS: Mapping[str, Term] = {
    "finished": Term("finished", "", "The search finished."),
    "time": Term("time limit", "", "The search stopped at its time limit."),
    "checks": Term("limit of recodings", "", "The search stopped at its limit of recodings."),
    "memory": Term("memory limit", "", "The search stopped at its memory limit."),
    "interrupted": Term("interrupted", "", "The search was interrupted."),
}
METRICS: Mapping[str, Term] = {
    "precision": Term("precision", "how far values moved up their hierarchies",
        "Precision loss is 1 − Prec: how far cells moved up their hierarchies, on average."),
    "loss": Term("loss", "how many values a released value could stand for",
        "Loss says how many values a released cell could stand for, from 0 (one) to 1 (all)."),
    "loss-geometric": Term("loss-geometric", "loss, with columns combined by a geometric mean",
        "Geometric loss combines the loss of the columns by a geometric mean, as ARX does."),
    "discernibility": Term("discernibility", "rows that cannot be distinguished",
        "Discernibility (DM) counts, for each row, the rows that it cannot be distinguished from; "
        "a suppressed row counts as all rows."),
    "classification": Term("classification", "rows that the release no longer classifies correctly",
        "Classification (CM) counts the rows whose label is not the most frequent one in their "
        "equivalence class."),
    "class-size": Term("class-size", "rows in an equivalence class, on average",
        "Class size is the average number of rows in an equivalence class."),
    "entropy": Term("entropy", "bits of information lost",
        "Entropy says how many bits of information are lost: how hard it is to guess the "
        "original cells."),
    "height": Term("height", "the sum of the levels",
        "Height counts the steps taken up the hierarchies, over all columns."),
}
REQUIREMENTS: Mapping[str, Term] = {
    "k_anonymity": Term("k-anonymity", "each row has at least k − 1 lookalikes",
        "k-anonymity requires that each released row looks like at least k − 1 other rows in the "
        "quasi-identifiers."),
    "max_risk": Term("highest risk", "for each row",
        "The highest risk limits the chance that an outsider recognizes any row."),
    "average_risk": Term("average risk", "over all rows",
        "The average risk limits the share of rows that an outsider who guesses would recognize."),
    "l_diversity": Term("l-diversity", "several sensitive values in each class",
        "l-diversity requires several different sensitive values in each equivalence class, so "
        "that finding a person's class does not reveal the value."),
    "t_closeness": Term("t-closeness", "sensitive values distributed as in the whole release",
        "t-closeness requires that the sensitive values of each equivalence class are "
        "distributed nearly as in the whole release."),
    "alpha_k": Term("(α,k)-anonymity", "k − 1 lookalikes, no value too frequent among them",
        "(α,k)-anonymity requires classes of k rows, of which at most a share α has the same "
        "sensitive value."),
    "beta_likeness": Term("β-likeness", "no value becomes much more likely",
        "β-likeness limits how much more likely a sensitive value becomes once a person's class "
        "is known."),
    "delta_disclosure": Term("δ-disclosure", "no value much more or less frequent than overall",
        "δ-disclosure limits how much the frequency of a sensitive value in an equivalence class "
        "differs from its frequency in the release."),
    "k_map": Term("k-map", "lookalikes in the population",
        "k-map requires that each released row looks like at least k people of the population."),
    "delta_presence": Term("δ-presence", "being in the table stays uncertain",
        "δ-presence limits how certain an outsider can be that a person is in the table."),
    "differential_privacy": Term("differential privacy", "one row hardly changes the release",
        "Differential privacy limits how much one row more or less in the table can change the "
        "probability of any release."),
    "population_uniqueness": Term("population uniqueness", "unique people in the population",
        "Population uniqueness limits how many people are estimated to be unique in the "
        "population."),
}
ATTACKERS: Mapping[str, Term] = {
    "prosecutor": Term("prosecutor", "knows who is in the table",
        "The prosecutor looks for one person who is known to be in the table."),
    "journalist": Term("journalist", "knows who is in the population",
        "The journalist looks for any one person of the population, in the table or not."),
    "marketer": Term("marketer", "wants as many people as possible",
        "The marketer wants to recognize as many people as possible and accepts mistakes."),
}
CONVENTIONS: Mapping[tuple[str, str], Term] = {
    ("nulls", "value"): Term("missing cells are a value", "is a value of its own",
        "A missing cell is a value of its own, alike only to other missing cells."),
    ("nulls", "refuse"): Term("missing cells are refused", "is refused",
        "A table with a missing cell in a quasi-identifier is refused."),
    ("stars", "own"): Term("* is a value", "only another *",
        "A * looks like nothing but another *."),
    ("stars", "wildcard"): Term("* is a wildcard", "any value",
        "A * could be any value, so a row of nothing but * needs no lookalikes."),
    ("suppressed", "drop"): Term("suppressed rows are left out", "are left out",
        "Suppressed rows are left out."),
    ("suppressed", "star"): Term(
        "suppressed rows are starred", "stay, with * in each quasi-identifier",
        "Suppressed rows stay in the release, with * in each quasi-identifier."),
    ("cuts", "free"): Term("free cuts", "anywhere",
        "Ordered values may be cut into intervals anywhere."),
    ("cuts", "siblings"): Term("cuts between siblings", "within a group of the hierarchy",
        "Each interval is a group of the hierarchy, or neighbors within one group."),
}
TERMS: Mapping[str, Term] = {term.name: term for term in (
    Term("k", "how many rows look alike, at least",
        "k is the smallest number of rows that look alike: with k = 5, a search for a person by "
        "what outsiders know finds five or more matching rows, or none."),
    Term("release", "the table to share", "The release is the anonymized table."),
    Term("policy", "what is required", "The policy says what the release must fulfill."),
    Term("equivalence class", "group of lookalikes",
        "An equivalence class is a group of released rows that look alike in all "
        "quasi-identifiers."),
    Term("generalized", "made less precise",
        "A generalized value is less precise than the original, for example a year in place of a "
        "day."),
    Term("suppressed", "left out",
        "A suppressed row is left out of the release, because keeping it would make the values "
        "of all other rows less precise."),
    Term("hierarchy", "how values become less precise",
        "A hierarchy says how the values of a column become less precise, level by level, up to "
        "*, which shows nothing."),
    Term("lattice", "all combinations of levels",
        "The lattice holds every way to choose one level for each column, from the original at "
        "the bottom to all stars at the top."),
    Term("metric", "how information loss is measured",
        "The metric says how information loss is measured; the search minimizes it."),
    Term("cost", "information loss", "The cost is the information loss, by the metric."),
    Term("detail kept", "from 0% (all stars) to 100% (the original)",
        "Detail kept is Sweeney's precision (Prec): 100% is the original table, 0% is nothing "
        "but stars."),
    Term("lower bound", "no recoding costs less",
        "The lower bound is proved: no recoding that meets the policy costs less."),
    Term("gap", "what could still be saved, at most",
        "The gap is the share of the cost that another recoding could save at most; at 0% the "
        "result is proved to be optimal."),
    Term("best so far", "kept if you stop now",
        "The best recoding found so far; it is kept if the search is stopped."),
    Term("risk", "chance of being recognized",
        "Risk is the chance that an outsider who knows that a person is in the table picks that "
        "person's row: one divided by the size of the class."),
    Term("separation", "pairs of rows that differ",
        "Separation is the share of all pairs of rows that differ in a column."),
    Term("weight", "how much a column matters",
        "A weight says how much the detail of a column matters; other columns have weight 1."),
    Term("seed", "makes a randomized search repeatable",
        "With the same seed, a randomized algorithm gives the same result again."),
    Term("certificate", "what was promised and verified",
        "The certificate says what was promised and what was verified; it accompanies the "
        "release."),
    Term("verified", "checked by independent code",
        "A release is verified by code that shares nothing with the search, on the released "
        "table itself."),
    Term("solution", "private: the recoding and its proof",
        "The solution file holds the recoding and its proof; it is private and belongs with the "
        "original."),
)}
# fmt: on
