"""Random ops, and the generator behind them."""
