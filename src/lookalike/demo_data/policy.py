"""The demo's policy file, as a careful data steward would write it."""

from __future__ import annotations

from lookalike.demo_data.patients import ETHNICITIES
from lookalike.policy.toml_writer import toml_value


def policy_text(k: int) -> str:
    """TOML with a reason beside every choice."""
    groups = "\n".join(
        f"{group} = {toml_value(list(names))}" for group, names in ETHNICITIES.items()
    )
    return TEMPLATE.format(k=k, others=k - 1, groups=groups)


TEMPLATE = """\
# What the hospital asks for.
identifiers = ["patient_id", "name"]  # dropped: they name people
sensitive   = ["diagnosis"]           # kept: what nobody should learn about a patient
insensitive = ["ward"]                # kept: tells no more than the diagnosis does

[require]
k_anonymity = {k}  # every row looks like at least {others} others

[spend]
metric   = "loss"  # keep small: how many values a released value could stand for
suppress = 0.02    # up to 2% of the rows may be left out

[search]
by   = "auto"
want = "optimal"

# What a neighbour could know of a patient: made coarser, as little as possible.
[quasi_identifiers]
birth_date = {{ dates = true }}   # day, month, year, 5 years, 10 years, *
zip        = {{ prefix = true }}  # 21401, 2140*, 214**, 21***, 2****, *
sex        = {{ flat = true }}    # as it is, or *

[quasi_identifiers.ethnicity.tree]
{groups}
"""
