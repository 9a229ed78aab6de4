"""A fictional hospital for the demo: its patients and a policy for them."""
