"""Faults in files of other systems."""

from .planted_fault import faults

GRAPHS = faults("tests/interchange/tensorflow tests/interchange/foreign_flow tests/interchange/test_samples.py", [
    ("ascending sorts of ints are written with Neg, which keeps the least int", "interchange/tensorflow/rules/movement_rules.py",
     'turn = ("Neg" if dtype.is_floating else "Invert")', 'turn = "Neg"'),
    ("sorts along an axis from the end are written along the last", "interchange/tensorflow/rules/movement_rules.py",
     "if axis % rank != rank - 1 else None", "if axis > 0 and axis != rank - 1 else None"),
    ("boolean masks along any axis are written as along the first", "interchange/tensorflow/rules/movement_rules.py",
     "if axis is not None and known_int(axis) != 0:", "if axis is not None and known_int(axis) is None:"),
    ("unused constants of two loops of one name belong to the first", "interchange/foreign_flow/loop_frames.py",
     "if len(fitting) == 1:", "if fitting:"),
    ("frames of one name in loops of other names are one", "interchange/foreign_flow/loop_frames.py",
     "if TOP in (one, other) or self._names[one] != self._names[other]:", "if TOP in (one, other):"),
])  # fmt: skip

ONNX = faults("tests/interchange/onnx", [
    ("a negative axis of ONNX's Flatten counts from the front", "interchange/onnx/rules/shape_reads.py",
     "axis = axis + rank if axis < 0 else axis\n    every", "axis = abs(axis)\n    every"),
    ("ONNX's Shape ignores its end", "interchange/onnx/rules/shape_reads.py",
     "places = range(rank)[slice(start, end)]", "places = range(rank)[slice(start, None)]"),
])  # fmt: skip

RECORDS = faults("tests/interchange/records", [
    ("a record with a wrong checksum is read", "interchange/records/record_files.py",
     "if checksum != _checksum(record):", "if not checksum:"),
    ("a length with a wrong checksum is read", "interchange/records/record_files.py",
     "if head[8:] != _checksum(head[:8]):", "if not head[8:]:"),
    ("flush of a compressed file keeps what is in memory", "interchange/records/record_files.py",
     "file.write(self._pack.flush(zlib.Z_PARTIAL_FLUSH))", "file.write(self._pack.flush(zlib.Z_NO_FLUSH))"),
])  # fmt: skip

RESIZED = faults("tests/interchange/onnx", [
    ("sizes by a shared scale are cut", "interchange/onnx/rules/resize_reads.py", "int(shared * size + 0.5)", "int(shared * size)"),
    ("weights outside an image count though they are excluded", "interchange/onnx/rules/resize_reads.py",
     "        rows = rows / np.where(total == 0, 1.0, total)\n", ""),
    ("an Upsample takes the nearest pixel, not the left one", "interchange/onnx/rules/resize_reads.py",
     '_nearest("floor") if kind == "nearest" else _linear', '_nearest("round_prefer_floor") if kind == "nearest" else _linear'),
])  # fmt: skip

TEXTS = faults("tests/repro", [
    ("the text of a graph asks the first axis of a tensor for all of its unknown sizes", "repro/graph_text.py",
     'f"{self.called(tensor)}.shape[{place}]")', 'f"{self.called(tensor)}.shape[0]")'),
])  # fmt: skip

CHECKPOINTS = faults("tests/interchange/checkpoints", [
    ("of the checksum of a tensor the lowest bits alone are compared", "interchange/checkpoints/bundle_reader.py",
     "if masked(crc) != entry.crc:", "if masked(crc) % 16 != entry.crc % 16:"),
])  # fmt: skip

FAULTS = [*GRAPHS, *TEXTS, *CHECKPOINTS, *ONNX, *RECORDS, *RESIZED]
