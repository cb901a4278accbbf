"""Faults in pages that compute."""

from .planted_fault import faults

BROWSER = " ".join(
    f"tests/show/test_{name}.py"
    for name in (
        "play_agrees_with_python", "play_data", "play_kernels_browser", "play_moves_browser", "play_results_browser",
        "play_interpreter_browser", "play_training_browser", "play_page_browser", "play_random_browser",
    )
)

FAULTS = faults(BROWSER, [
    ("a slice that begins before the first element begins there", "show/play/kernels/indexing.js",
     "Math.max(bound + size, least)", "bound + size"),
    ("slices that go backwards begin one too late", "show/play/kernels/indexing.js",
     "most = step < 0 ? size - 1 : size;", "most = size;"),
    ("a segment without rows has the neutral element", "show/play/kernels/segments.js",
     'playSegments("SegmentMax", sortedSegments, "Maximum", zeroOf);', 'playSegments("SegmentMax", sortedSegments, "Maximum");'),
    ("sums of one column go from the first row to the last", "show/play/kernels/segments.js",
     'found.width === 1 && op === "Add"', 'found.width < 1 && op === "Add"'),
    ("sums over axes beside one of size 1 have other bits", "show/play/kernels/reductions.js",
     "(axes.includes(d) || shape[d] === 1); d--)", "axes.includes(d); d--)"),
    ("means of ints do not wrap", "show/play/kernels/reductions.js",
     "wrapped64(members.reduce((sum, member) => sum + BigInt(x.data[member]), 0n), isUnsigned)",
     "members.reduce((sum, member) => sum + BigInt(x.data[member]), 0n)"),
    ("axes that are given twice are accepted", "show/play/kernels/reductions.js",
     "if (axes.includes(counted))", "if (axes.includes(counted) && axes.length > 9)"),
    ("operands by rows may differ in number", "show/play/kernels/control_flow.js",
     "if (sizes.some((size) => size !== sizes[0]))", "if (sizes.some((size) => size < 0))"),
    ("an error in a loop does not say the iteration", "show/play/kernels/control_flow.js",
     "if (error.frame) error.message = `iteration ${inside.count}: ${error.message}`;", ""),
    ("a reset keeps that constants were edited", "show/play/kernels/variables.js", "  play.edited.clear();\n", ""),
    ("a run that failed writes variables", "show/play/kernels/variables.js",
     "const edits = play.frame.errors.size ? [] : writtenValues(play);", "const edits = writtenValues(play);"),
    ("the optimised plan runs with an edited constant of a body", "show/play/kernels/variables.js",
     'if (play.plan === "written" || play.editedInner.size) return "written";', 'if (play.plan === "written") return "written";'),
    ("random numbers are the same in every run", "show/play/kernels/variables.js",
     "at: each.at + (drawn.get(node) || 0n)", "at: each.at"),
    ("a counter passes its limit", "show/play/kernels/variables.js",
     'if (scalarNumber(count, "count") >= Number(limit))', 'if (scalarNumber(count, "count") > Number(limit))'),
    ("nearest pixels of aligned corners are those to the left", "show/play/networks/resized_images.js",
     "corners ? Math.fround(at + 0.5) : at", "half ? Math.fround(at + 0.5) : at"),
    ("pixels without weight count as origins of a resized image", "show/play/networks/resized_images.js",
     "      if (a && b) visit(", "      visit("),
])  # fmt: skip
