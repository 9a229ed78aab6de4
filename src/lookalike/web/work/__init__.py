"""The work of each kind of job."""
