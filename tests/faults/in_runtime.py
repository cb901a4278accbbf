"""Faults in plans, passes and compiled code."""

from .planted_fault import faults

SIZES = faults("tests/runtime/ir/test_sizes_that_stay.py", [
    ("a loop variable keeps a size that an iteration changes", "runtime/ir/body_stages.py",
     "return supposed if dims == then else known", "return supposed"),
    ("a size that a variable of known rank does not keep stays supposed", "runtime/ir/body_stages.py",
     "shape_of([a if a == b else dim for dim, a, b in zip(known.raw, dims, then, strict=True)])", "supposed"),
    ("an iteration that fails keeps a loop from being planned", "runtime/ir/body_stages.py",
     "        except BuildError:  # such", "        except KeyError:  # such"),
])  # fmt: skip

PLANS = faults("tests/runtime/planning tests/runtime/passes tests/runtime/session tests/runtime/test_equal_results.py", [
    ("a step overwrites an operand that it reads twice", "runtime/planning/donation.py",
     "not step.over and step.inputs.count(slot) == 1 and (", "not step.over and ("),
    ("a step in place reads a variable that another one overwrites", "runtime/planning/donation.py",
     "if any(taken.get(root, i) != i for root in roots):", "if any(taken.get(root, i) > len(steps) for root in roots):"),
    ("a value that several variables take is written over one of them", "runtime/planning/donation.py",
     "unread = read.isdisjoint(step.outputs) and shared.isdisjoint(step.outputs)", "unread = read.isdisjoint(step.outputs)"),
    ("an op may keep memory that is used again", "runtime/planning/aliasing.py",
     "            foreign.update(_roots(step, sharing.keeps, shared))\n", "            pass\n"),
    ("what a step before one in place reads may go early", "runtime/planning/aliasing.py",
     "                yield from before.inputs\n", "                yield from ()\n"),
    ("a value that is fetched twice is one array", "runtime/planning/aliasing.py",
     "self.owns(slot) and first[slot] == i for i, slot", "self.owns(slot) for i, slot"),
    ("a value with two roots is live until the later end", "runtime/planning/aliasing.py",
     "return min([self.last[root] for root in self.roots(slot)])", "return max([self.last[root] for root in self.roots(slot)])"),
    ("operations on two devices are merged", "runtime/passes/merge.py",
     "return (opdef.type, op.device, inputs)", "return (opdef.type, inputs)"),
    ("bodies that differ in promised shapes are equal", "runtime/passes/merge.py",
     "tuple(rows), ends, claims)", "tuple(rows), ends)"),
    ("attributes 0.0 and -0.0 are equal", "runtime/passes/merge.py",
     "arg.hex() if isinstance(arg, float) else arg)", "arg)"),
    ("a kernel of the user that breaks its promise is folded", "runtime/passes/fold.py",
     "if opdef.calls_user_code and not _is_as_promised(results, op):", "if opdef.calls_user_code and len(results) != len(op.outputs):"),
    ("a pinned value is folded", "runtime/passes/fold.py",
     "if not _may_fold(made) or not pinned.isdisjoint(op.outputs):", "if not _may_fold(made):"),
    ("x - (-0.0) is x", "runtime/passes/rules/arithmetic_identities.py",
     "return None if is_zero(value) else", "return None if not value.any() else"),
    ("complex x * 1 is x", "runtime/passes/rules/arithmetic_identities.py",
     "        if dtype.is_complex:\n", "        if dtype.is_string:\n"),
    ("a floor of x // 1 of floats is x", "runtime/passes/rules/arithmetic_identities.py",
     "if opdef is floordiv and dtype.is_floating else None", "if opdef is floordiv and dtype.is_complex else None"),
    ("a known condition chooses a side of another shape", "runtime/passes/rules/arithmetic_identities.py",
     "        if not same_shape(t, e):\n            return \"whether both", "        if t is e:\n            return \"whether both"),
    ("a plan for one value of a flag serves the other", "runtime/session/planned_call.py",
     "(call._flags and call._flags != shaped.flags(arrays))", "(call._flags and arrays is None)"),
    ("an array of flags is taken for its first", "runtime/session/shaped_calls.py",
     "None if arrays[i].ndim else bool(arrays[i])", "bool(arrays[i].flat[0])"),
    ("random numbers have a place that others notice", "graph/declare/effects.py",
     "self.is_pure or (self.reads | self.writes) <= {OWN_STATE}", "self.is_pure"),
    ("what changes a queue has no place that others notice", "graph/declare/effects.py",
     "self.is_pure or (self.reads | self.writes) <= {OWN_STATE}", "self.is_pure or (self.reads | self.writes) <= _ORDERS_NOTHING"),
    ("a row is added to a product that another one reads", "runtime/passes/rules/sums_before_reshapes.py",
     "    return all(readers.only(t) is not None for t in (view.outputs[0], view.inputs[0]))\n", "    return True\n"),
    ("a row is added to a product whose rows have another length", "runtime/passes/rules/sums_before_reshapes.py",
     "return dims[-1] == length[0] == before[-1] and len(before) == 2", "return dims[-1] == length[0] and len(before) == 2"),
    ("a box that only a read of its own keeps stays", "runtime/passes/unboxed_stacks.py",
     "return all(op.opdef is unwrap and not op.control_inputs\n", "return all(op.opdef is unwrap and op not in body.targets\n"),
])  # fmt: skip

COMPILED = faults("tests/runtime/nest tests/runtime/loops tests/runtime/compiled", [
    ("sums of rows of -0.0 are -0.0", "runtime/compiled/row_folds.py", "{plain}, 0.0')}", "{plain}, -0.0')}"),
    ("NumPy's fold of a row takes the first element twice", "runtime/compiled/row_folds.py",
     "ptr {row}, i64 {size}\"), code.do(f\"sub i64 {count}, 1\")", "ptr {row}, i64 0\"), code.do(f\"sub i64 {count}, 0\")"),
    ("an index in a loop may be that behind the last element", "runtime/loops/body_nests.py",
     "n.check(index, size, -1)", "n.check(index, size + 1, -1)"),
    ("argmax in a loop of which the first is NaN stays there", "runtime/loops/body_nests.py",
     "(best != best) & is_better(value, extreme)", "(best != best) & (value != value)"),
    ("argmax in a loop takes the least number after a NaN", "runtime/loops/body_nests.py",
     "dtype.np.type(-np.inf if is_most else np.inf)", "dtype.np.type(np.inf if is_most else -np.inf)"),
    ("rows of a body are reduced with the first one twice", "runtime/loops/body_nests.py",
     "n.read(n.x, [(i, width * size), width * size, (c, size)], wide)", "n.read(n.x, [(i, width * size), (c, size)], wide)"),
    ("an array of an inner loop does not take its next value", "runtime/loops/body_variables.py",
     "            each.swap()", "            pass"),
    ("rows of NaN count as extreme in compiled argmax", "ops/reduce/argmax.py",
     'constant(-np.inf if which == "argmax" else np.inf, x.dtype)', 'constant(np.inf if which == "argmax" else -np.inf, x.dtype)'),
    ("an output that is reduced too is left out", "runtime/compiled/flat_nest.py",
     "if o >= first and o not in reduced])", "if o > first and o not in reduced])"),
    ("a zero divisor of a group is no error", "runtime/compiled/flat_nest.py",
     "return tuple(dict.fromkeys(found))", "return tuple(dict.fromkeys(found[1:]))"),
    ("strided operands are not copied to pieces", "runtime/compiled/inner_loop.py",
     "select i1 %copies, i64 %m, i64 0", "select i1 %copies, i64 0, i64 0"),
    ("rows of an outer axis begin where those before them end", "runtime/compiled/loop_nest.py",
     "%minus = sub i64 0, %i", "%minus = sub i64 0, 0"),
    ("one number per row counts as a whole array", "runtime/compiled/shaped_nest.py",
     "return any(self.pattern[i] for i in self.full)", "return False"),
    ("bfloat16 results are left wide", "runtime/compiled/shaped_nest.py",
     "len(self.body.outputs) == 1 and not self.bits", "len(self.body.outputs) == 1"),
])  # fmt: skip

BLOCKS = faults("tests/runtime/execution/test_native_blocks.py", [
    ("a choice within a block takes the other operand", "runtime/llvm/block_driver_code.py",
     "%from = select i1 %is, ptr %p1, ptr %p2", "%from = select i1 %is, ptr %p2, ptr %p1"),
])  # fmt: skip

FIRST = faults("tests/queues tests/runtime/passes tests/runtime/session", [
    ("an operation that waits for an element does not make it be taken", "runtime/passes/untaken_elements.py",
     "for each in (*operands, *op.control_inputs):", "for each in operands:"),
    ("in a body an element is taken for its shape alone", "runtime/passes/untaken_elements.py",
     "    return _with_constants(stage, readers, _dropped(stage, readers)) if readers else stage\n", "    return stage\n"),
])  # fmt: skip

OPERANDS = faults("tests/runtime/passes tests/ops/test_unread_operands.py", [
    ("an operand of the same rank stands for one that is not read", "runtime/passes/rules/unread_operands.py",
     "each.dtype is unread.dtype and each.shape.raw == dims", "each.dtype is unread.dtype and each.shape.ndims == len(dims)"),
    ("a target that reads another operand is lost", "runtime/passes/simplify.py",
     "copy.settle(op, outputs, current if op in fixed else None)", "copy.settle(op, outputs)"),
    ("a gradient that reads the maxima says that it does not", "ops/pooling/max_pool3d_ops.py",
     'padding data_format TInput=orig_input",\n    gradient_note', 'padding data_format TInput=orig_input", unread="orig_output",\n    gradient_note'),
])  # fmt: skip

POOLING = faults("tests/runtime/kernels/test_pooling_loops.py tests/runtime/execution/test_masked_pool_gradients.py tests/ops/pooling", [
    ("gradients of numbers in no window are not written", "runtime/kernels/convolution/fast_pooling.py",
     "    if not overlaps and is_covered:\n", "    if not overlaps:\n"),
    ("a window without a maximum gives its gradient to no number", "runtime/kernels/convolution/pooling_loops.py",
     '                is_first[0] = e.value(f"or {e.bits} {is_first[0]}, {e.inverse(later)}")\n', ""),
    ("gradients of means at an edge are divided by all taps", "runtime/kernels/convolution/pooling_loops.py",
     "part = e.divided(gradient, e.max(1, count))", "part = e.divided(gradient, (height or 1) * columns)"),
])  # fmt: skip

NESTS = faults("tests/runtime/nest tests/runtime/kernels tests/data", [
    ("the end of rows that are fetched ahead is not copied", "runtime/nest/sequential/index_nests.py",
     "n.read_row(n.rows, [source, (lines, 64)], n.row - lines * 64))", "n.read_row(n.rows, [source, (lines, 64)], 0))"),
    ("a shuffled buffer that turned round puts an item behind its end", "runtime/nest/sequential/index_nests.py",
     "n.put(n.held, [(around(first + number), 8)]", "n.put(n.held, [(first + number, 8)]"),
    ("of equal keys in a sorted match the value of the one before is taken", "runtime/nest/sequential/index_nests.py",
     "            n.leave(other >= key)\n", "            n.leave(other > key)\n"),
    ("a window of two lists whose first half is wrong is believed", "runtime/kernels/loops/merge_windows.py",
     "and i1 %right.{h - 1}, %whole.{h}", "and i1 %whole.{h}, %whole.{h}"),
])  # fmt: skip

ROWS = faults("tests/runtime/nest", [
    ("short rows are added without the elements behind whole eights", "runtime/nest/short_rows.py",
     "    for j in range(done, width):\n", "    for j in range(done, width - 1):\n"),
    ("rows of eight elements are added from the left", "runtime/nest/short_rows.py",
     "    if width >= PAIRWISE:\n", "    if width > PAIRWISE:\n"),
    ("an odd number of vectors of a row is summed without the last one", "runtime/nest/summed_pass.py",
     "%is.even = icmp eq i64 %end, %end.wide", "%is.even = icmp sle i64 %end.wide, %end"),
])  # fmt: skip

CASTS = faults("tests/runtime/kernels/test_cast_loop.py tests/runtime/kernels", [
    ("floats beyond the ints with a sign are cast to unsigned ones as to those", "runtime/llvm/number_conversion.py",
     'convert = "fptoui" if target in ("u4", "u8")', 'convert = "fptoui" if target in ("u8",)'),
])  # fmt: skip

PROCESSES = faults("tests/runtime/llvm/test_host_facts.py tests/runtime/llvm/test_background.py tests/runtime/llvm", [
    ("a wrong note of the processor is believed", "runtime/llvm/toolchain.py",
     "return _EarlierFacts.facts is None or _EarlierFacts.facts == facts", "return True"),
    ("what is compiled at a fork is lost in the child", "runtime/llvm/background.py",
     "            self._queue.appendleft(self._now)  # its", "            pass  # its"),
])  # fmt: skip

FAULTS = [*PLANS, *SIZES, *COMPILED, *BLOCKS, *FIRST, *OPERANDS, *POOLING, *NESTS, *ROWS, *CASTS, *PROCESSES]
