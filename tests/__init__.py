"""The tests; the folders mirror the package, and `golden/` holds what other systems do with the same ops."""
