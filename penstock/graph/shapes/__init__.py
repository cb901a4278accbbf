"""Values and sizes: dtypes, dimensions, shapes, arrays from Python values."""
