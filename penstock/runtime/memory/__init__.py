"""Memory of large results: a pool of blocks that are reused when the last reference is gone."""
