"""The patients of a fictional hospital, made at random from a seed, skewed like a real table.

Towns differ in size, some ethnicities and diagnoses are rare, most old patients are women, and
diagnoses depend on age and sex. So some patients stand out.
"""

from __future__ import annotations

import csv
import datetime
import random
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

TODAY = datetime.date(2025, 1, 1)  # ages refer to this day


@dataclass(frozen=True, slots=True)
class Patient:
    """A row of the table."""

    patient_id: str
    name: str
    birth_date: str
    sex: str
    zip: str
    ethnicity: str
    ward: str
    diagnosis: str


# Share of patients by age: children, few young adults, many old.
AGES = (
    (0, 1, 5), (1, 5, 5), (5, 15, 6), (15, 25, 8), (25, 35, 11), (35, 45, 10),
    (45, 55, 11), (55, 65, 13), (65, 75, 14), (75, 85, 12), (85, 95, 5), (95, 103, 0.4),
)  # fmt: skip

# Three fictional regions: the first four digits of each town's zip code, and its size.
TOWNS = (
    ("2140", 30), ("2141", 24), ("2142", 12), ("2143", 6), ("2145", 3), ("2148", 1.5),
    ("2170", 9), ("2171", 5), ("2174", 2), ("2179", 0.8),
    ("3305", 4), ("3306", 2), ("3309", 0.7),
)  # fmt: skip

ETHNICITIES: dict[str, dict[str, float]] = {
    "White": {"Northern": 52, "Southern": 14, "Eastern": 9},
    "Black": {"West African": 5, "East African": 3, "Caribbean": 3},
    "Asian": {"South Asian": 6, "East Asian": 4, "Central Asian": 0.6},
    "Other": {"Mixed": 3, "Pacific Islander": 0.3, "Inuit": 0.2},
}

# Diagnosis, ward, sex, and frequency at ages under 18, 18 to 64, and from 65.
DIAGNOSES: tuple[tuple[str, str, str, tuple[float, float, float]], ...] = (
    ("asthma", "pulmonology", "FM", (22, 7, 4)),
    ("broken bone", "surgery", "FM", (24, 10, 12)),
    ("appendicitis", "surgery", "FM", (12, 6, 1)),
    ("tonsillitis", "general", "FM", (14, 3, 0.2)),
    ("childbirth", "maternity", "F", (0.2, 34, 0)),
    ("depression", "psychiatry", "FM", (4, 12, 6)),
    ("diabetes", "general", "FM", (3, 9, 15)),
    ("hypertension", "cardiology", "FM", (0.3, 10, 18)),
    ("heart attack", "cardiology", "FM", (0, 5, 14)),
    ("stroke", "neurology", "FM", (0.1, 2, 12)),
    ("pneumonia", "pulmonology", "FM", (9, 5, 13)),
    ("breast cancer", "oncology", "F", (0, 4, 5)),
    ("prostate cancer", "oncology", "M", (0, 1.5, 10)),
    ("epilepsy", "neurology", "FM", (4, 2.5, 1.5)),
    ("HIV", "infectious", "FM", (0.1, 1.2, 0.3)),
    ("leukaemia", "oncology", "FM", (1, 0.4, 0.8)),
    ("cystic fibrosis", "pulmonology", "FM", (0.4, 0.1, 0)),
)

NAMES_OF_WOMEN = """
    Ada Alma Anna Bea Carla Clara Dora Edda Elsa Emma Frida Greta Hanna Ida Ines Iris Jana Klara
    Lena Lina Lotte Maja Mara Mila Nora Olga Paula Rosa Sara Tilda Vera Zoe
"""
NAMES_OF_MEN = """
    Adam Anton Arne Ben Bruno Carl Cem Emil Erik Felix Finn Georg Hugo Ivan Jan Jonas Karl Leo Luca
    Marc Max Nils Noah Omar Oskar Otto Paul Rafael Sami Theo Tom Viktor
"""
FAMILIES = """
    Adler Baum Becker Berg Brandt Calder Castro Dahl Diaz Egger Falk Fischer Fuchs Graf Haas Hahn
    Holm Horn Ito Jansen Kaya Keller Kern Kim Koch Kowal Lang Lind Lopez Maier Mbeki Moreau Nagy
    Novak Okafor Olsen Park Petrov Quist Rossi Roth Sato Schmid Silva Stein Tanaka Thorn Vogel
    Wagner Weiss Winter Wolf Yilmaz Zeller Ziegler
"""
INITIALS = "ABCDEFGHIJKLMNOPRSTVWYZ"


def patients(rows: int, seed: int = 0) -> list[Patient]:
    """The patients; the same for the same seed."""
    return list(_patients(rows, random.Random(seed)))


def write_csv(path: Path, people: Sequence[Patient]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Patient))
        writer.writerows(astuple(person) for person in people)


def _patients(rows: int, rng: random.Random) -> Iterator[Patient]:
    spans, weights = [(low, high) for low, high, _ in AGES], [share for *_, share in AGES]
    towns, sizes = zip(*TOWNS, strict=True)
    ethnic = {name: share for group in ETHNICITIES.values() for name, share in group.items()}
    given, families = {"F": NAMES_OF_WOMEN.split(), "M": NAMES_OF_MEN.split()}, FAMILIES.split()
    numbers = rng.sample(range(100_000, 1_000_000 + 9 * rows), rows)  # in random order
    for number in numbers:
        low, high = rng.choices(spans, weights)[0]
        age = low + (high - low) * rng.random()
        born = TODAY - datetime.timedelta(days=1 + int(age * 365.25))
        sex = "F" if rng.random() < (0.5 if age < 65 else 0.5 + (age - 65) / 130) else "M"
        # zip codes of a town differ in size too: those of its center end in 0 or 1
        town = rng.choices(towns, sizes)[0] + str(min(9, int(rng.expovariate(0.7))))
        ward, diagnosis = _diagnosis(age, sex, rng)
        yield Patient(
            f"P{number}",
            f"{rng.choice(given[sex])} {rng.choice(INITIALS)}. {rng.choice(families)}",
            born.isoformat(),
            sex,
            town,
            rng.choices(list(ethnic), list(ethnic.values()))[0],
            ward,
            diagnosis,
        )


def _diagnosis(age: float, sex: str, rng: random.Random) -> tuple[str, str]:
    age_group = 0 if age < 18 else 1 if age < 65 else 2
    fertile = 14 < age < 50
    possible = [row for row in DIAGNOSES if sex in row[2] and (fertile or row[0] != "childbirth")]
    name, ward, *_ = rng.choices(possible, [row[3][age_group] for row in possible])[0]
    return ward, name
