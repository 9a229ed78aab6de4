"""Texts use common words: no phrase that a reader with little English would have to guess.

It reads README, docs, and the code and templates of the package. A phrase that is not plain is
listed with its place and a plain one. Names in code and words inside `code marks` are not texts.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("src/**/*.py"),
        *ROOT.glob("src/**/*.html"),
    ]
)
QUOTES_OLD_WORDS = ROOT / "docs" / "reference" / "certificate-wording.md"
PLAIN = {  # a pattern: what to write
    r"says no kind of table|is no kind of": "unrecognized file extension",
    r"what has this name is no plain table": "a view with this name exists",
    r"that it cannot be kept is no fault": "failing to cache is not an error",
    r"joins nothing any more": "losing the key breaks all existing joins",
    r"how good it is, is not known": "no bound is known for this result",
    r"draws? lots": "randomized",
    r"recoding of before": "the earlier recoding",
    r"dearer|dearest": "costs more",
    r"as good as can be": "with minimal information loss",
    r"take it away": "download",
    r"thing is in the way|things are in the way": "please fix one thing",
    r"waits; \d+ before it": "queued, 1 ahead",
    r"at most so many": "limit",
    r"checked by other code than made it": "independently verified",
    r"says that it names people": "looks like a direct identifier",
    r"precision is kept small": "information loss (Prec) is minimized",
    r"come what may|be that as it may": "always",
    r"nought|naught": "zero, nothing",
    r"whoever|whomever|whosoever": "a person who, anyone who",
    r"mend(?:s|ed|ing)?": "fix, correct, repair",
    r"lest": "so that … not",
    r"in vain": "without success",
    r"at the most": "at most",
    r"spelt|learnt|whilst|amongst": "spelled, learned, while, among",
    r"(?:is|are) seen to be": "is verified",
    r"turned down": "rejected",
    r"hitherto|henceforth|thereof|wherein|whereby": "so far, from now on, of it, in which",
    r"(?:colour|behaviour|neighbour|honour|favour|centre)\w*": "American spelling",
    r"labelled|labelling": "American spelling",
    r"(?:anonymi|generali|minimi|optimi|recogni|randomi|normali|summari)s(?:e|es|ed|ing|ation)": (
        "American spelling"
    ),
    r"(?<!there )is no (?!longer|more|less|and\b|(?:key|cut)\b)[a-z]+": "is not a …",
    r"so many(?! that)": "this number of, a limit of",
    r"(?<!be )told(?! apart)": "reported, shown",
}
ALLOWED = re.compile("neighborhood neighbourhood")  # names of columns, in both spellings
PATTERNS = {
    re.compile(rf"(?<![\w`])(?:{pattern})(?![\w`])", re.IGNORECASE): plain
    for pattern, plain in PLAIN.items()
}


def test_texts_use_plain_words():
    found = []
    for path in FILES:
        if path == QUOTES_OLD_WORDS:
            continue
        place = path.relative_to(ROOT)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if ALLOWED.search(line):
                continue
            for pattern, plain in PATTERNS.items():
                if phrase := pattern.search(line):
                    found.append(f"{place}:{number}: {phrase[0]!r}; write: {plain}")
    assert not found, "\n".join(found)
