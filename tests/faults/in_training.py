"""Faults in optimizers, averages, checkpoints and hooks."""

from .planted_fault import faults

OPTIMIZERS = faults("tests/train", [
    ("FTRL takes the second penalty once", "ops/state/update_formulas.py",
     "(root_of_total / rate + 2 * l2)", "(root_of_total / rate + l2)"),
    ("FTRL shrinks by half", "ops/state/update_formulas.py", "g + 2 * shrinkage * w.value", "g + shrinkage * w.value"),
    ("FTRL's beta does not count", "train/optimizers/ftrl.py",
     '+ self._tensors["beta"] / (2.0 * rate)', '+ 0.0 * self._tensors["beta"] / (2.0 * rate)'),
    ("Adam's powers are beside the first variable of the list", "train/optimizers/adam.py",
     "first = min(var_list, key=lambda variable: variable.name)", "first = var_list[0]"),
    ("Adam's powers may be written before they are read", "train/optimizers/adam.py",
     "with graph.control_dependencies(update_ops):", "with graph.control_dependencies([]):"),
    ("Adam of rows reads what a slot held before the decay", "train/optimizers/adam.py",
     "        self._latest.note(decayed.op)\n", ""),
    ("RMSProp adds epsilon to the root", "ops/state/update_formulas.py",
     "g * rate * ops.rsqrt(spread + epsilon)", "g * rate / (ops.sqrt(spread) + epsilon)"),
    ("Adadelta's mean of its steps does not decay", "ops/state/update_formulas.py",
     "updates.set(updates.value * rho + ops.square(update) * (1 - rho))",
     "updates.set(updates.value + ops.square(update) * (1 - rho))"),
    ("the first penalty of dual averaging does not grow with the steps", "ops/state/update_formulas.py",
     "soft_threshold(ops, total, l1 * step)", "soft_threshold(ops, total, l1)"),
    ("moving averages with num_updates move too fast", "train/optimizers/moving_averages.py",
     "(1.0 + count) / (10.0 + count)", "(1.0 + count) / (11.0 + count)"),
    ("variables_to_restore also has averaged variables themselves", "train/optimizers/moving_averages.py",
     "if each.op not in averaged and each.op.name not in found:", "if each.op.name not in found:"),
    ("after an error the averages know tensors that are gone", "train/optimizers/moving_averages.py",
     '            outermost(graph).journal.note(setattr, self, "_averages", averages)\n', ""),
])  # fmt: skip

CHECKPOINTS = faults("tests/train tests/interchange/checkpoints", [
    ("a checkpoint that is kept for ever puts off the next by its own time", "train/checkpoints/saver.py",
     "self._next_kept += definition.keep_checkpoint_every_n_hours * _HOURS",
     "self._next_kept = too_many[1]"),
    ("a checkpoint that is written twice counts twice", "train/checkpoints/saver.py",
     "self._last = [each for each in self._last if each[0] != path]", "self._last = list(self._last)"),
    ("checkpoints set by the caller are removed for their age", "train/checkpoints/saver.py",
     'self._last = [(path, float("inf")) for path in', "self._last = [(path, 0.0) for path in"),
    ("the graph of a checkpoint that could not be saved stays", "train/checkpoints/saver.py",
     "with kept_on_error(meta):", "if True:"),
    ("the session does not know the checkpoint that it saved", "train/checkpoints/saver.py",
     "        _note_checkpoint(sess, prefix)\n        return prefix", "        return prefix"),
    ("a Saver of the scope ab is one of the scope a", "train/checkpoints/saver.py",
     'if not whole.startswith(f"{export_scope}/"):', "if not whole.startswith(str(export_scope)):"),
    ("the path of a meta graph is taken for a checkpoint", "train/checkpoints/saver.py",
     'if not exists(prefix) or prefix.endswith(".meta"):', "if not exists(prefix):"),
    ("reshape=True gives an array of the shape in the file", "train/checkpoints/saver.py",
     "return value.reshape(tensor.variable.shape.raw).copy() if self._reshape else value", "return value"),
    ("reshape=True reads the beginning of a larger array", "train/checkpoints/checkpoint_matching.py",
     "fits = math.prod(entry.shape) == variable.shape.num_elements()",
     "fits = math.prod(entry.shape) >= (variable.shape.num_elements() or 0)"),
    ("a part is read from a variable of another whole", "train/checkpoints/checkpoint_matching.py",
     'return "" if whole == list(entry.shape) else', 'return "" if len(whole) == len(entry.shape) else'),
    ("an older path that is latest again is not the last of the list", "train/checkpoints/checkpoint_files.py",
     "if not every or every[-1] != latest:", "if latest not in every:"),
    ("each shard has a graph of its own", "train/checkpoints/checkpoint_files.py",
     'return re.sub(r"-[\\d\\?]+-of-\\d+$", "", prefix) + "." + suffix', 'return prefix + "." + suffix'),
    ("as many times as paths need not be given", "train/checkpoints/checkpoint_files.py",
     "if times and len(times) != len(every):", "if len(times) > len(every):"),
    ("remove_checkpoint leaves the graph", "train/checkpoints/checkpoint_files.py",
     "        remove_files([meta_graph_filename(prefix, meta_graph_suffix)])\n", ""),
])  # fmt: skip

HOOKS = faults("tests/train tests/summary", [
    ("summaries come a step late", "train/monitored/saving_hooks.py",
     "        self._next = step + 1\n", "        self._next = step\n"),
    ("steps per second are told every time once the first is due", "train/monitored/saving_hooks.py",
     "        self._began = now\n        self._timer.update(step)\n", "        self._began = now\n"),
    ("a writer that the caller gave is closed", "train/monitored/saving_hooks.py",
     "        if self._writer is None and self._folder is not None:\n            self._writer = FileWriter(self._folder, get_default_graph())",
     "        if self._folder is not None:\n            self._writer = FileWriter(self._folder, get_default_graph())"),
    ("two global steps are one", "train/monitored/step_counter.py", "if len(listed) > 1:", "if len(listed) > 2:"),
])  # fmt: skip

BUNDLES = faults("tests/train tests/interchange/checkpoints", [
    ("values of a checkpoint of the other byte order are not turned", "interchange/checkpoints/bundle_reader.py",
     "                values.byteswap(inplace=True)\n", "                values.byteswap()\n"),
    ("a part of a partitioned variable may have another dtype", "interchange/checkpoints/bundle_reader.py",
     "            if own.dtype != entry.dtype:\n", "            if own.dtype < 0:\n"),
    ("elements that no part of a checkpoint holds are what lay in memory", "interchange/checkpoints/bundle_reader.py",
     "        if missing > 0:\n", "        if missing > 1:\n"),
])  # fmt: skip

FAULTS = [*OPTIMIZERS, *CHECKPOINTS, *HOOKS, *BUNDLES]
