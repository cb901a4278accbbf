"""Memory of large results: a pool of blocks that come back when the last reference is gone."""
