"""Pages that compute: their plans and values in Python, their kernels and controls in JavaScript."""
