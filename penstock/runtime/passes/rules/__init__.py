"""Rewrite rules: a class each, the law as its docstring; `rule_table.RULES` lists them."""
