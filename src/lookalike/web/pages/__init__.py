"""The pages, one step of the work a file."""
