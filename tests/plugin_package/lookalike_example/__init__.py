"""An example of a package that adds to lookalike: one module and one class for each thing."""
