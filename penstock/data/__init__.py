"""Which data comes with the package? `iris.csv`, the table that the examples and the demo use."""
