"""Loop nests: groups that reduce rows and compute from the reductions, as one loop over the rows."""
