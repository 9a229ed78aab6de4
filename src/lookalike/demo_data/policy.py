"""The policy file of the demo."""

from __future__ import annotations

from lookalike.demo_data.patients import ETHNICITIES
from lookalike.policy.toml_writer import toml_value


def policy_text(k: int) -> str:
    """The file, with a reason for each choice."""
    groups = "\n".join(
        f"{group} = {toml_value(list(names))}" for group, names in ETHNICITIES.items()
    )
    return TEMPLATE.format(k=k, others=k - 1, groups=groups)


TEMPLATE = """\
# The policy of the hospital.
identifiers = ["patient_id", "name"]  # removed: they name people
sensitive   = ["diagnosis"]           # kept unchanged: nobody should learn it about a patient
insensitive = ["ward"]                # kept unchanged: reveals no more than the diagnosis

[require]
k_anonymity = {k}  # every row looks like at least {others} others

[spend]
metric   = "loss"  # minimized: how many values a released value could stand for
suppress = 0.02    # up to 2% of the rows may be suppressed (left out)

[search]
by   = "auto"
want = "optimal"

# What a neighbor could know about a patient: generalized, as little as possible.
[quasi_identifiers]
birth_date = {{ dates = true }}   # day, month, year, 5 years, 10 years, *
zip        = {{ prefix = true }}  # 21401, 2140*, 214**, 21***, 2****, *
sex        = {{ flat = true }}    # unchanged, or *

[quasi_identifiers.ethnicity.tree]
{groups}
"""
