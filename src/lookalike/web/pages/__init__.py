"""The pages of the studio: one file for each step of the work."""
