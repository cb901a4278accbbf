"""Looking at runs: records, traces, watches, profiles, explanations, costs, progress."""
