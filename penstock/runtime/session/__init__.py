"""The call: fetches, feeds, the plan cache, `Session`."""
