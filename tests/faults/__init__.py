"""Faults to plant in a copy of the package, to see whether the tests find them.

    python -m tests.faults                    all of them, an hour on one core
    python -m tests.faults --only derivatives those whose list, file or words hold this text
    python -m tests.faults --part 2/3         the second of three parts

Each is a small change of behaviour as somebody might make it: a bound that is one off, a case that is left out. The
tests of its folder alone run, and the doctests of its file, up to the first failure. A fault that none of them finds
shows what nothing tests yet: write that test. The lists are in `in_*.py`, by the part of the package.
"""
