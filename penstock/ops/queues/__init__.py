"""Ops of queues and readers, and the objects of a session behind them."""
