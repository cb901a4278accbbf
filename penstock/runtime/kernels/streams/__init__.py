"""Ops that go over rows a piece at a time, so that what is before or behind them need not be in memory as a whole."""
