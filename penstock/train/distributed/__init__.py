"""Clusters, servers and devices of a training program."""
