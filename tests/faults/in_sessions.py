"""Faults in what runs, threads and processes share, and in what the tests of every op and of random programs see."""

from .planted_fault import faults

SHARED = faults("tests/runtime/test_forks.py tests/graph/test_locks.py", [
    ("a fork does not wait for locks that other threads hold", "graph/common/locks.py",
     "if key[0] is LockKind.GRAPH else -1)", "if key[0] is LockKind.GRAPH else 0)"),
])  # fmt: skip

WORDS = faults("tests/ops/candidates tests/ops/images/test_distorted_boxes.py", [
    ("random words that were made ahead are those from the next one on", "ops/candidates/word_stream.py",
     "self._ahead, self._first = words, begin // 4 * 4", "self._ahead, self._first = words, begin"),
])  # fmt: skip

WAITING = faults("tests/runtime/passes/test_fold.py tests/runtime/passes/test_control_edges.py", [
    ("an operation that waits for another one is folded", "runtime/passes/fold.py",
     "if opdef.facts.is_constant or op.control_inputs or not op.outputs:", "if opdef.facts.is_constant or not op.outputs:"),
])  # fmt: skip

QUEUES = faults("tests/queues tests/fuzz/test_fed_by_queues_beside_tensorflow.py", [
    ("all rows are taken where all but one are asked for", "ops/queues/queue_objects.py",
     "if rows.stop - rows.start == len(columns[0]):", "if rows.stop - rows.start >= len(columns[0]) - 1:"),
])  # fmt: skip

SHAPES = faults("tests/test_every_op.py", [
    ("indices of unknown rank are taken for one index", "ops/index/gathering.py",
     '        return unknown_rank("the rank of indices is not known", indices)\n    return shape_of(indices.shape.raw + rows[1:])',
     "        return shape_of(rows[1:])\n    return shape_of(indices.shape.raw + rows[1:])"),
])  # fmt: skip

STEPS = faults("tests/recurrent tests/fuzz/test_cells_beside_numpy.py", [
    ("a sequence takes part in one step more than it has", "recurrent/masked_steps.py",
     "ended = ops.greater_equal(time, lengths)", "ended = ops.greater(time, lengths)"),
])  # fmt: skip

FAULTS = [*SHARED, *WORDS, *WAITING, *QUEUES, *SHAPES, *STEPS]
