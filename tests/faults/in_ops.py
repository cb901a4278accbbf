"""Faults in kernels of ops, in losses, in graphs written as JSON and in what a fork waits for."""

from .planted_fault import faults

KERNELS = faults("tests/ops tests/test_golden.py tests/test_golden_extra.py", [
    ("on the right side of a NaN there is no NaN", "ops/index/searchsorted.py",
     "before |= (element == wanted) | ((element != element) & (wanted != wanted))", "before |= element == wanted"),
    ("a number at the upper end of a histogram is in no bin", "ops/reduce/histogram.py",
     "places = xp.minimum(above, count - 1).astype(np.int64)", "places = xp.minimum(above, count).astype(np.int64)"),
    ("the largest row of an id that does not occur is that of no rows in floats", "ops/reduce/segment_rows.py",
     'return -np.inf if ufunc == "maximum" else np.inf', 'return np.inf if ufunc == "maximum" else -np.inf'),
    ("high words of the places in a stream of random numbers are not counted", "ops/random/philox.py",
     "x0, x1, x2, x3 = low & mask, low >> shift, high & mask, high >> shift",
     "x0, x1, x2, x3 = low & mask, low >> shift, high & mask, high & mask"),
])  # fmt: skip

LOSSES = faults("tests/ops/test_nn_recorded.py tests/losses", [
    ("a mean divides by the weights as they are, not by those of all elements", "losses/weighted_loss.py",
     "return ops.reduce_sum(ops.multiply(ops.ones_like(values), weights))", "return ops.reduce_sum(weights)"),
])  # fmt: skip

WRITTEN = faults("tests/graph/serial", [
    ("numbers that are not finite are written as JSON's", "graph/serial/array_data.py",
     "    if dtype.is_floating and not np.isfinite(wide).all():\n        return None\n", ""),
])  # fmt: skip

FORKS = faults("tests/graph/test_locks.py tests/variables/test_forks_beside_writes.py", [
    ("a fork does not wait for who holds a lock", "graph/common/locks.py",
     "if lock.acquire(timeout=max(0.0, until - monotonic()) if key[0] is LockKind.GRAPH else -1):",
     "if lock.acquire(timeout=0.0):"),
])  # fmt: skip

FAULTS = [*KERNELS, *LOSSES, *WRITTEN, *FORKS]
