"""Data that comes with the package: `iris.csv`, the table of the examples and the demo."""
