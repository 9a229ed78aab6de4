"""JSON with more than one meaning is refused."""

from __future__ import annotations

import json

import pytest

from lookalike import strict_json


@pytest.mark.parametrize(
    "text",
    ['{"k": 50, "k": 2}', '{"a": [{"k": 1, "\\u006b": 2}]}', '{"x": NaN}', "[Infinity]",
     "[-Infinity]", "", "{", b'{"k": "\xff"}', '{"k": 2}'.encode("utf-16"),
     b'\xef\xbb\xbf{"k": 2}', "[" * 100_000 + "]" * 100_000, "[1e999]", "[-1e999]",
     str(2**63), str(-(2**63)), "1" * 5000, '["\\ud800"]', '{"\\udc00": 1}'],
    ids=range(18),
)  # fmt: skip
def test_what_can_be_read_in_two_ways_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - of several kinds
        strict_json.loads(text)


def test_anything_else_is_read_as_usual():
    content = {"a": [1, 2.5, None, True, "ä", 2**63 - 1, 1e308, "\\ud800"], "b": {"a": {}}}
    text = json.dumps(content, ensure_ascii=False)
    assert strict_json.loads(text) == strict_json.loads(text.encode()) == content
    assert strict_json.loads('"\\ud83d\\ude00"') == "\N{GRINNING FACE}"
