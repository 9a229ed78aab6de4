"""What is typed: one command a file, its options and its help. Loads nothing heavy."""
