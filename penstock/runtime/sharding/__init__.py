"""Data parallelism: a stage cut into shards along a named dimension."""
