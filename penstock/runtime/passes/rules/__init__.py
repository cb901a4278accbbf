"""Rewrite rules, one class each with its law as the docstring; `rule_table.RULES` lists them."""
