"""Rewrite rules: a class each, the law as its docstring; `table.RULES` is the list of them."""
