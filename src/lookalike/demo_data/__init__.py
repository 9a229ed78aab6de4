"""An invented hospital: its patients, and a policy for them; for the demo and for first steps."""
