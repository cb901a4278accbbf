"""Faults in datasets and queues."""

from .planted_fault import faults

DATASETS = faults("tests/data", [
    ("an element as long as a boundary belongs to the bucket before", "data/bucketing.py",
     "ops.less_equal(ops.constant(lowest, int32), length)", "ops.less(ops.constant(lowest, int32), length)"),
    ("sequences are padded to the boundary itself", "data/bucketing.py",
     "ops.subtract(bound, ops.constant(1, int64))", "ops.subtract(bound, ops.constant(0, int64))"),
    ("bucket_by_sequence_length gives last, smaller batches though they are left out", "data/bucketing.py",
     "shapes, padding_values, drop_remainder)", "shapes, padding_values, False)"),
    ("both window_size and window_size_func are accepted", "data/bucketing.py",
     "if (window_size is None) == (window_size_func is None):", "if window_size is None and window_size_func is None:"),
    ("padded shapes of a dict belong to its keys as they stand", "data/padding.py",
     "below = [values[key] for key in sorted(values)] if isinstance(values, dict)", "below = [values[key] for key in values] if isinstance(values, dict)"),
    ("a padded shape may be smaller", "data/padding.py",
     "isinstance(size, int) and isinstance(wanted, int) and wanted < size", "isinstance(size, int) and isinstance(wanted, int) and wanted < 0"),
    ("choose_from_datasets goes on when a dataset ends", "data/choices.py",
     'return _chosen("choose_from_datasets", choice_dataset, every, bool(stop_on_empty_dataset))',
     'return _chosen("choose_from_datasets", choice_dataset, every, False)'),
    ("sample_from_datasets goes on when a dataset ends", "data/choices.py",
     'return _chosen("sample_from_datasets", selector, every, bool(stop_on_empty_dataset))',
     'return _chosen("sample_from_datasets", selector, every, False)'),
    ("map_and_batch gives last, smaller batches though they are left out", "data/transformations.py",
     "dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)", "dataset.map(map_func, num_parallel_calls).batch(batch_size)"),
    ("shuffle_and_repeat ignores its seed", "data/transformations.py",
     "dataset.shuffle(buffer_size, seed).repeat(count)", "dataset.shuffle(buffer_size).repeat(count)"),
    ("a state of scan may change its dtype", "data/transformations.py",
     '        check_state("scan: scan_func", structure, after)\n', ""),
])  # fmt: skip

INTERLEAVED = faults("tests/data", [
    ("slow datasets are interleaved in the order in which they are ready", "ops/datasets/parallel_interleaving.py",
     "            if self._sloppy:\n", "            if self._calls:\n"),
])  # fmt: skip

QUEUES = faults("tests/queues", [
    ("dequeue_up_to fails at the end though there are some elements", "ops/queues/queue_objects.py",
     "                if up_to and ticket.taken:\n                    return ticket.taken\n", ""),
    ("elements that a run put back stand in the wrong order", "ops/queues/queue_objects.py",
     "self._held.extendleft(reversed(entries))", "self._held.extendleft(entries)"),
    ("maybe_batch takes a vector for examples that come one by one", "queues/kept_batches.py",
     "kept.shape.ndims > many", "kept.shape.ndims > 1"),
])  # fmt: skip

ROWS = faults("tests/data", [
    ("rows that were asked for ahead come last one first", "ops/datasets/row_streams.py",
     "first = self._ahead[: -count - 1 : -1]", "first = self._ahead[-count:]"),
    ("one of every few rows begins anew at each request", "ops/datasets/row_streams.py",
     "self._until = (self._until - len(rows)) % self._step if len(found) else self._until - len(rows)",
     "self._until = self._until if len(found) else self._until - len(rows)"),
])  # fmt: skip

FAULTS = [*DATASETS, *INTERLEAVED, *QUEUES, *ROWS]
