"""Paths that pytest ignores: the links at the root, which would import each module under a second name, the programs
of lessons, and what Dask runs as a script.

The package is imported before anything is collected: else the doctests of a module would import it a second time.
"""

import penstock  # noqa: F401  # imported for its effect, see above

collect_ignore = ["graph", "ops", "runtime", "build", "penstock/cluster/access/local_child.py"]
collect_ignore_glob = ["penstock/lessons/[0-9]*"]
