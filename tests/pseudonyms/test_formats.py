"""Pseudonyms: a permutation, the same for ever, and worked out alike by two pieces of code."""

from __future__ import annotations

import hmac
import itertools
import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.policy.pseudonym import Pseudonym
from lookalike.pseudonyms.derived_key import derived_key
from lookalike.pseudonyms.pseudonym_labels import pseudonyms_of, value_faults
from lookalike.pseudonyms.same_format import (
    MIN_VALUES,
    Permutation,
    _mac,
    form_of,
    kept_forms,
    possible,
)
from lookalike.pseudonyms.secret_key import Key
from lookalike.pseudonyms.token import LENGTH, tokens
from lookalike.verifier.pseudonyms.formats import looks_like_token, own_key, same_format, token

KEY = bytes(range(32))
SIGNS = {"0": string.digits, "a": string.ascii_lowercase, "A": string.ascii_uppercase}


def whole(form: str) -> list[str]:
    """Every value of a form."""
    return ["".join(one) for one in itertools.product(*(SIGNS.get(sign, sign) for sign in form))]


@settings(max_examples=40, deadline=None)
@given(
    key=st.binary(min_size=32, max_size=32),
    form=st.text("0aA-. ", max_size=6).filter(lambda form: possible(form) <= 3_000),
)
def test_values_of_a_form_are_permuted(key: bytes, form: str) -> None:
    permuted = Permutation(_mac(key), form)
    values = whole(form)
    made = [permuted(value) for value in values]
    assert sorted(made) == sorted(values)


@pytest.mark.parametrize("form", ["0000", "aaa", "00-Aa"])
def test_the_smallest_forms_are_permuted_as_a_whole(form: str) -> None:
    values = whole(form)
    made = kept_forms(KEY, values)
    assert sorted(made) == sorted(values)
    assert sum(one == other for one, other in zip(made, values, strict=True)) < 12  # about one
    assert made != kept_forms(KEY[::-1], values)


@given(st.text(string.ascii_letters + string.digits + " -/.", min_size=6, max_size=80))
def test_the_form_is_kept(text: str) -> None:
    if possible(form_of(text) or "") >= MIN_VALUES:
        [made] = kept_forms(KEY, [text])
        assert form_of(made) == form_of(text)


def test_a_number_of_any_half_is_about_as_likely() -> None:
    made = kept_forms(KEY, [f"{number:06d}" for number in range(20_000)])
    for place in range(6):
        seen = [sum(one[place] == digit for one in made) for digit in string.digits]
        assert all(1_800 < count < 2_200 for count in seen)


# These must never change: what was released under a key joins with what is released under it later.
KNOWN_TOKENS = {
    "": "7t7dljeoj34yabievhrc",
    "P-00001": "trxzhu5f5obyjwcs4snx",
    "Åse 東京": "diskzvkuv5ma5txrlxd4",
}
LONG = "x" * 60 + "7" * 60
LONG_KEPT = (
    "onqfysprzzoiazmnnsrlszhnykghujanswkkyuzyidyfvnjlsajrfafvcqcf"
    "062523418313740694954410028241614360755534529295176453011865"
)
KNOWN_KEPT = {
    "P-00001": "C-40133",
    "0000": "1505",
    "123-45-6789": "673-99-9824",
    "AB12 cd": "ZF72 ib",
    LONG: LONG_KEPT,
}


def test_pseudonyms_are_what_they_were_in_earlier_versions() -> None:
    of_tokens, of_kept = derived_key(KEY, "token", "person"), derived_key(KEY, "keep", "person")
    assert dict(zip(KNOWN_TOKENS, tokens(of_tokens, KNOWN_TOKENS), strict=True)) == KNOWN_TOKENS
    assert dict(zip(KNOWN_KEPT, kept_forms(of_kept, list(KNOWN_KEPT)), strict=True)) == KNOWN_KEPT


def test_the_hmac_is_the_one_of_python() -> None:
    mac = _mac(KEY)
    for length in (0, 1, 55, 56, 64, 200):
        assert mac(b"x" * length) == hmac.digest(KEY, b"x" * length, "sha256")


def random_texts(count: int) -> list[str]:
    """Of all lengths, in ASCII and beyond."""
    rng = random.Random(7)
    signs = string.printable + "äß東京🙂\u0301\u0660"
    ascii_only = string.ascii_letters + string.digits + "-/ "
    found = [
        "".join(rng.choices(signs if number % 3 == 0 else ascii_only, k=rng.randrange(30)))
        for number in range(count)
    ]
    return [*found, "", "-", "0" * 300, "zZ9" * 100]


def test_both_implementations_agree() -> None:
    for form in ("token", "keep"):
        for domain in ("patient_id", "größe\n"):
            assert derived_key(KEY, form, domain) == own_key(KEY, form, domain)
    texts = random_texts(4_000)
    assert tokens(KEY, texts) == [token(KEY, text) for text in texts]
    refused = 0
    for text in texts:
        form = form_of(text)
        if form is None or possible(form) < MIN_VALUES:
            refused += 1
            assert same_format(KEY, text) is None
            with pytest.raises(ValueError, match="cannot be kept"):
                kept_forms(KEY, [text])
        else:
            assert kept_forms(KEY, [text]) == [same_format(KEY, text)]
    assert 500 < refused < 3_500


@given(st.text())
def test_both_implementations_make_the_same_tokens(text: str) -> None:
    [made] = tokens(KEY, [text])
    assert made == token(KEY, text)
    assert len(made) == LENGTH
    assert looks_like_token(made)


def test_domains_and_forms_have_nothing_in_common() -> None:
    texts = [f"{number:08d}" for number in range(50)]
    made = {
        (form, domain): pseudonyms_of("id", Pseudonym(form, domain), texts, Key(KEY))
        for form in ("token", "keep")
        for domain in ("id", "person")
    }
    assert len({one for some in made.values() for one in some}) == 200
    assert pseudonyms_of("id", Pseudonym("token"), texts, Key(KEY)) == made["token", "id"]
    assert pseudonyms_of("other", Pseudonym("keep", "id"), texts, Key(KEY)) == made["keep", "id"]


def test_null_stays_null() -> None:
    made = pseudonyms_of("id", Pseudonym(), ["a", None, "b"], Key(KEY))
    assert made[1] is None
    assert None not in (made[0], made[2])


def test_a_collision_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "lookalike.pseudonyms.pseudonym_labels.tokens", lambda _, texts: ["same"] * len(texts)
    )
    with pytest.raises(la.TableError, match="two values have the same pseudonym"):
        pseudonyms_of("id", Pseudonym(), ["a", "b"], Key(KEY))


def test_values_without_a_pseudonym_are_counted_and_not_shown() -> None:
    keep = Pseudonym("keep")
    found = value_faults("id", keep, (), ["123", "12", "", "Åse 12345", "secret-12345", None])
    assert [fault.where for fault in found] == ["pseudonyms.id"] * 2
    assert "1 different value has characters other than ASCII" in found[0].problem
    assert "3 different values have a form with fewer than 10,000" in found[1].problem
    assert not any("123" in fault.problem or "Åse" in str(fault) for fault in found)
    assert value_faults("id", Pseudonym(), ("", "12"), ["", "12"]) == []
    [fault] = value_faults("id", Pseudonym(), (1.5, None), ["1.5", None])
    assert "floating-point" in fault.problem
