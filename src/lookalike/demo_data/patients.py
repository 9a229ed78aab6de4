"""An invented hospital: patients drawn by lot from a seed, with the skew that real tables have.

Nobody in it exists. Towns are of very different sizes, some ethnicities and diagnoses are rare, old
age is mostly female, and a diagnosis goes with age and sex: so some people stand out.
"""

from __future__ import annotations

import csv
import datetime
import random
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

TODAY = datetime.date(2025, 1, 1)  # ages are as of this day, whenever the demo runs


@dataclass(frozen=True, slots=True)
class Patient:
    """One row."""

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

# Three invented regions. A town's first four digits, and its size: one city, many villages.
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

# Diagnosis, ward, of whom, and how often at ages under 18, 18 to 64, 65 and over.
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

GIVEN_OF_WOMEN = """
    Ada Alma Anna Bea Carla Clara Dora Edda Elsa Emma Frida Greta Hanna Ida Ines Iris Jana Klara
    Lena Lina Lotte Maja Mara Mila Nora Olga Paula Rosa Sara Tilda Vera Zoe
"""
GIVEN_OF_MEN = """
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
    """The same rows and seed, the same patients."""
    return list(_patients(rows, random.Random(seed)))


def write_csv(path: Path, people: Sequence[Patient]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Patient))
        writer.writerows(astuple(person) for person in people)


def _patients(rows: int, lot: random.Random) -> Iterator[Patient]:
    spans, weights = [(low, high) for low, high, _ in AGES], [share for *_, share in AGES]
    towns, sizes = zip(*TOWNS, strict=True)
    ethnic = {name: share for group in ETHNICITIES.values() for name, share in group.items()}
    given, families = {"F": GIVEN_OF_WOMEN.split(), "M": GIVEN_OF_MEN.split()}, FAMILIES.split()
    numbers = lot.sample(range(100_000, 1_000_000 + 9 * rows), rows)  # in no order: no arrival
    for number in numbers:
        low, high = lot.choices(spans, weights)[0]
        age = low + (high - low) * lot.random()
        born = TODAY - datetime.timedelta(days=1 + int(age * 365.25))
        sex = "F" if lot.random() < (0.5 if age < 65 else 0.5 + (age - 65) / 130) else "M"
        # a town's zips differ in size too: its centre ends in 0 or 1
        town = lot.choices(towns, sizes)[0] + str(min(9, int(lot.expovariate(0.7))))
        ward, diagnosis = _diagnosis(age, sex, lot)
        yield Patient(
            f"P{number}",
            f"{lot.choice(given[sex])} {lot.choice(INITIALS)}. {lot.choice(families)}",
            born.isoformat(),
            sex,
            town,
            lot.choices(list(ethnic), list(ethnic.values()))[0],
            ward,
            diagnosis,
        )


def _diagnosis(age: float, sex: str, lot: random.Random) -> tuple[str, str]:
    of_age = 0 if age < 18 else 1 if age < 65 else 2
    fertile = 14 < age < 50
    possible = [one for one in DIAGNOSES if sex in one[2] and (fertile or one[0] != "childbirth")]
    name, ward, *_ = lot.choices(possible, [one[3][of_age] for one in possible])[0]
    return ward, name
