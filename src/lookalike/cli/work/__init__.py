"""What is done: one command a file, loaded when it is called."""
