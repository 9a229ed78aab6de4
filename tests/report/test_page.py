"""A report is one page that stands by itself: nothing is fetched, nothing runs, text stays text."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

import pyarrow as pa
import pytest
from report_cases import VARIANTS, page_of, release

import lookalike as la
from lookalike.report.page import page
from lookalike.report.report_file import facts_of

ODD = '<script>alert("x")</script>'
VOID = {"meta", "br", "img", "link", "hr", "input", "col"}


class Read(HTMLParser):
    """Tags in their order, and what is wrong with their nesting."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for one, attributes in self.tags if one == tag]


@pytest.fixture(scope="module", params=VARIANTS)
def pages(request):
    """Both editions of every variant, made once."""
    return {edition: page_of(request.param, edition) for edition in ("internal", "public")}


def test_nothing_is_fetched_and_nothing_runs(pages):
    for text in pages.values():
        read = Read(text)
        assert {"script", "link", "img", "iframe", "object", "base"}.isdisjoint(
            tag for tag, _ in read.tags
        )
        for _, attributes in read.tags:
            assert not [name for name in attributes if name.startswith("on")]
            for name in ("src", "href", "xlink:href", "srcset"):
                assert (attributes.get(name) or "#").startswith("#")
            for value in attributes.values():
                assert not re.search(r"url\((?!#)", value or "")
        assert not re.search(r"@import|url\((?!#)", text)
        assert "default-src 'none'" in text


def test_everybody_can_read_it(pages):
    for text in pages.values():
        read = Read(text)
        assert read.named("html") == [{"lang": "en"}]
        heads = [int(tag[1]) for tag, _ in read.tags if re.fullmatch("h[1-6]", tag)]
        assert heads[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(heads))
        for drawn in read.named("svg"):
            assert drawn["role"] == "img"
            assert drawn["aria-label"]
        assert len(read.named("caption")) == len(read.named("table"))
        assert all(one.get("scope") in ("col", "row") for one in read.named("th"))
        ids = Counter(one["id"] for _, one in read.tags if one.get("id"))
        assert set(ids.values()) == {1}
        drawn = [at for at, (tag, _) in enumerate(read.tags) if tag == "svg"]
        details = [at for at, (tag, _) in enumerate(read.tags) if tag == "details"]
        assert all(any(at < behind for behind in details) for at in drawn)


def test_sections_are_in_their_order(pages):
    for edition, text in pages.items():
        order = re.findall(r'<section id="([a-z]+)"', text)
        assert order == ["summary", "method", "risk", "utility", "choice", "search",
                         "conventions", "certificate", "repeat"]  # fmt: skip
        mark = {"internal": "internal: keep with the original", "public": "public edition"}
        assert f'content: "{mark[edition]}"' in text  # on every printed page
        assert "None" not in "".join(Read(text).text)


def test_html_in_cells_and_names_shows_as_text():
    rows = 40
    made = pa.table(
        {
            ODD: ["<b>x</b>", "a & b"] * (rows // 2),
            "'\"><i>": ["{{ 7 * 7 }}", "</td>"] * (rows // 2),
            "ill": [ODD, "</svg><p>", "</style>", "\x00\x1b control"] * (rows // 4),
        }
    )
    asked = la.Policy(
        quasi_identifiers={ODD: la.flat(), "'\"><i>": la.flat()},
        sensitive=["ill"], require=la.KAnonymity(5),
    )  # fmt: skip
    subject = la.anonymize(made, asked).subject()
    for edition in ("internal", "public"):
        text = page(facts_of(subject, edition))
        read = Read(text)
        assert {"script", "b", "i"}.isdisjoint(tag for tag, _ in read.tags)
        told = "".join(read.text)
        assert ODD in told
        assert "<b>x</b>" in told
        assert "{{ 7 * 7 }}" in told


def test_some_columns_are_drawn_and_all_are_listed(monkeypatch):
    monkeypatch.setattr("lookalike.report.figures.MAX_CHARTS", 2)
    made = pa.table({f"col{i}": ["x", "y"] * 10 for i in range(14)})
    asked = la.Policy(
        quasi_identifiers={f"col{i}": la.flat() for i in range(14)}, require=la.KAnonymity(4)
    )
    text = page(facts_of(la.anonymize(made, asked, by="datafly").subject(), "internal"))
    assert "Only the first 8 columns were examined" in text
    read = Read(text)
    captions = [one for one in read.text if re.fullmatch(r"Rows of col\d+", one.strip())]
    assert len(captions) == 14
    assert len(read.named("svg")) < 12


def test_a_report_is_the_same_when_made_again():
    made = release(60)
    for edition in ("internal", "public"):
        once, again = (page(facts_of(made.subject(), edition)) for _ in range(2))
        assert once == again
