"""National numbers: the examples of the authorities pass, changed digits do not."""

import random

import pytest

from lookalike.risks.kept_columns.national_numbers import KINDS, recognize

EXAMPLES = {
    "NHS numbers (United Kingdom)": "943 476 5919",
    "BSN (Netherlands)": "111222333",
    "PESEL numbers (Poland)": "44051401359",
    "tax numbers (Germany)": "86095742719",
    "CPF numbers (Brazil)": "529.982.247-25",
    "NIR numbers (France)": "255081416802538",
    "DNI or NIE numbers (Spain)": "12345678Z",
    "AHV numbers (Switzerland)": "756.9217.0769.85",
    "personnummer (Sweden)": "811218-9876",
    "henkilötunnukset (Finland)": "131052-308T",
    "resident identity numbers (China)": "11010519491231002X",
    "payment card numbers": "4111 1111 1111 1111",
}


def kind_of(name):
    return next(kind for kind in KINDS if kind.name == name)


def plain(number):
    return "".join(sign for sign in number if sign.isalnum())


@pytest.mark.parametrize(("name", "number"), EXAMPLES.items())
def test_the_published_example_passes_and_its_neighbor_does_not(name, number):
    kind, number = kind_of(name), plain(number)
    assert kind.form.fullmatch(number)
    assert kind.check(number)
    place = 2 if name.startswith("NIR") else 4
    other = number[:place] + str((int(number[place]) + 1) % 10) + number[place + 1 :]
    assert not kind.check(other)


@pytest.mark.parametrize(("name", "number"), EXAMPLES.items())
def test_a_column_of_such_numbers_is_recognized(name, number):
    kind, number = kind_of(name), plain(number)
    rng = random.Random(name)
    valid: set[str] = set()
    while len(valid) < 40:
        changed = list(number)
        for place in rng.sample([i for i, sign in enumerate(number) if sign.isdigit()], 3):
            changed[place] = str(rng.randrange(10))
        made = "".join(changed)
        if kind.form.fullmatch(made) and kind.check(made):
            valid.add(made)
    assert recognize(sorted(valid)) is not None
    assert recognize(["no number", *sorted(valid)]) is not None
    assert recognize(sorted(valid)[:5]) is None


def test_random_digits_are_not_national_numbers():
    rng = random.Random(12)
    for length in range(8, 19):
        numbers = [str(rng.randrange(10 ** (length - 1), 10**length)) for _ in range(200)]
        assert recognize(numbers) is None
