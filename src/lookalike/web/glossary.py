"""Words of the field, each in one sentence, shown where they appear."""

from __future__ import annotations

WORDS = {
    "k": "k is how many rows at least look alike: with k = 5, whoever looks for a person by what "
    "outsiders know finds five or more rows that fit, or none.",
    "suppression": "Suppression leaves a row out of the release, because keeping it would make "
    "everybody's values coarser.",
    "allowance": "The allowance is how many rows, or which share of them, may be left out at most.",
    "Prec": "Prec (Sweeney's precision) is how much detail is kept: 1 is the original table, 0 is "
    "nothing but stars.",
    "quasi-identifier": "A quasi-identifier is a column that an outsider could know of a person, "
    "as age, place or sex; together they single people out, so they are made coarser.",
    "identifier": "An identifier names a person, as a name or a number; it is dropped.",
    "sensitive": "A sensitive column is what nobody should learn about a person; it is kept as it "
    "is, and nobody can tell whose it is.",
    "insensitive": "An insensitive column is harmless and not known outside; it is kept as it is.",
    "hierarchy": "A hierarchy is how the values of a column get coarser step by step, up to *, "
    "which shows nothing.",
    "metric": "The metric is how loss of detail is counted; the search keeps it as small as it "
    "can.",
    "bound": "The bound is proved: no recoding that meets the policy costs less.",
    "gap": "The gap is how much of the cost could still be saved at most; 0% is proved to be the "
    "best there is.",
    "incumbent": "The incumbent is the best recoding found so far; stopping keeps it.",
    "lattice": "The lattice is every way to choose one level for each column, from the original "
    "(below) to all stars (above).",
    "class": "A class is a group of released rows that look alike in every column an outsider "
    "could know.",
    "risk": "Risk is the chance that an outsider who knows a person is in the table picks that "
    "person's row: one over the number of lookalikes.",
    "l-diversity": "l-diversity wants several different sensitive values in every class, so that "
    "finding the class does not tell the value.",
    "t-closeness": "t-closeness wants the sensitive values of every class to be spread about as "
    "they are in the whole release.",
    "certificate": "The certificate says what was promised and what was checked, by code that "
    "shares nothing with the search; it goes with the release.",
    "seed": "The seed makes algorithms that draw lots do the same again.",
    "separation": "Separation is the share of all pairs of rows that a column tells apart.",
    "weight": "A weight says how much the detail of a column matters, beside 1 for the others.",
}
