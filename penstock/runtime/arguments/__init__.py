"""The arguments of a run: fetches and feeds."""
