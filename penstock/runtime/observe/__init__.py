"""Observation of runs: records, traces, watches, profiles, explanations, costs and progress."""
