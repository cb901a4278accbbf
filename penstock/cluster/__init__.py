"""More than one machine: a graph cut into partitions that run on the workers of a Dask cluster."""
