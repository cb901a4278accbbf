"""Benchmarks: the speed of Penstock beside other engines and beside the limit of the machine, measured in one run."""
