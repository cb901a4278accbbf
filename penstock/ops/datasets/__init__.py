"""Ops of datasets and iterators, and the streams of elements behind them."""
