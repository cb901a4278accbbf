// The kernels of ops by type. `playOp("Gather", { run(args, call) { ... }, moves(args, results) { ... } })` declares one.
//
//   run    the arguments of a step -> a list of tensors. An argument is a tensor, a list of tensors, the value of an
//          attribute, or, for a graph inside the op, a function from tensors to a list of tensors.
//   moves  (arguments, results) -> for each result a list with, for each element, where it came from: [operand, element],
//          a list of those, or null. Operands count all tensors of the arguments in their order.
//
// A line that begins with `playOp("Type"` or another `play...("Type"` declares a kernel: Python reads the list of ops
// from these lines.

class PlayError extends Error {}

const PLAY_KERNELS = new Map();

function playOp(type, kernel) {
  if (PLAY_KERNELS.has(type)) throw new Error(`two kernels of ${type}`);
  PLAY_KERNELS.set(type, kernel);
}

// The tensors among the arguments of a step, lists flattened: what `moves` counts.
function operandsOf(args) {
  return args.flatMap((arg) => (Array.isArray(arg) && arg.length && isTensor(arg[0]) ? arg : isTensor(arg) ? [arg] : []));
}

const isTensor = (value) => value !== null && typeof value === "object" && "data" in value && "dtype" in value;
