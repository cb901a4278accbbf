"""Two lists of what is public, for the tests of docstrings and for the API reference of the site."""

INTERNAL = {
    "Graph": ("admit", "admits", "awaited", "check_name", "check_open", "claim", "claim_scope", "claims",
              "consumers_of", "find_anywhere", "operations_since", "refine", "show_scope"),
    "AttentionMechanism": ("initial_alignments", "initial_state"),
    "Decoder": ("finalize", "initialize", "step"),
    "Dimension": ("at",),
    "Helper": ("initialize", "next_inputs", "sample"),
    "RNNCell": ("build", "call"),
    "RunMetadata": ("begin",),
    "Scaffold": ("prepare",),
    "Session": ("random_counters",),
    "SessionConfig": ("as_written",),
    "SparseTensor": ("with_stated_shape",),
    "VariableScope": ("full_name",),
    "Watch": ("bad", "passes_over"),
    "BuildError": ("with_operand", "replace_text", "reword"),
    "OpError": ("replace_text",),
}  # fmt: skip
"""Methods of public classes that only the package calls; those of cells,
decoders and helpers are explained by `RNNCell`, `Decoder` and `Helper`."""

GIVEN = {
    "graph.diagnostics.shape_provenance": ["ShapeProvenance", "DimProvenance"],
    "graph.diagnostics.unknown_dims": ["WhyUnknown", "Reason"],
    "graph.inspect.diff": ["GraphDiff"],
    "graph.serial.limits": ["Limits"],
    "interchange.tensorflow.graphdef_reader": ["LoadedGraphDef"],
    "runtime.backends.devices": ["Devices", "Device"],
    "repro.repro_run": ["Repro"],
    "runtime.base.random_counters": ["RandomState", "StreamState"],
    "runtime.debugger.breakpoints": ["Breakpoint"],
    "runtime.debugger.debugger": ["Debugger"],
    "runtime.debugger.stops": ["Stop"],
    "runtime.debugger.where_report": ["Where", "OperandAt", "FrameAt"],
    "runtime.debugger.why_report": ["Why"],
    "runtime.observe.cost_report": ["Cost"],
    "runtime.observe.data_flow": ["DataFlow", "DataWatch", "IteratorFlow", "QueueFlow", "StageFlow"],
    "runtime.observe.explain": ["Explanation"],
    "runtime.observe.place_records": ["PlaceRecord", "TransferRecord", "WaitRecord"],
    "runtime.observe.placement_report": ["PlacementReport"],
    "runtime.observe.profile": ["Profile"],
    "runtime.observe.run_record": ["StepRecord", "ResultRecord"],
    "runtime.observe.value_trace": ["Trace"],
    "runtime.planning.memory_plan": ["MemoryPlan"],
    "runtime.planning.plan": ["Plan", "Step"],
}
"""Classes that public calls return, by module."""
