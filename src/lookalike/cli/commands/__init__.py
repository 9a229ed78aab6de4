"""The commands, one file for each, with its options and its help. Loads nothing heavy."""
