// Graphs inside ops: branches, loops and fused groups. Every value inside is kept, so that a reader can look at any
// iteration.
//
//   inside of If      { kind: "branch", taken: 0 or 1, frame }
//   inside of While   { kind: "loop", iterations: [{ cond: frame, body: frame or null }], count }
//   inside of Fused   { kind: "group", body, values }

const LOOP_LIMIT = 10000; // iterations, until the page says that a loop does not end
const KEPT_ITERATIONS = 1000; // so many iterations are kept for looking at

// A plan as a function from tensors to tensors: `steps` runs it, and gives [results, frame].
function planFunction(plan, outer) {
  return {
    plan,
    *steps(tensors) {
      const frame = newFrame(plan);
      frame.isInside = true;
      plan.feeds.forEach(([, slot], i) => (frame.values[slot] = tensors[i]));
      const failed = yield* runPlan(frame);
      if (failed !== null) throw failureInside(frame, failed);
      return [plan.fetches.map((slot) => frame.values[slot]), frame];
    },
  };
}

function failureInside(frame, k) {
  const error = new PlayError(`${frame.plan.steps[k].node}: ${frame.errors.get(k)}`);
  error.frame = frame;
  return error;
}

// A fused group as a function from tensors to tensors; its instructions run one by one.
function bodyFunction(body) {
  return {
    body,
    run(tensors) {
      const values = [...tensors];
      for (const { op, args, node } of body.instructions) {
        const given = args.map((arg) => ("val" in arg ? values[arg.val] : attributeOf(arg, null)));
        try {
          values.push(PLAY_KERNELS.get(op).run(given, { node })[0]);
        } catch (error) {
          if (error instanceof PlayError) error.message = `${node}: ${error.message}`;
          throw error;
        }
      }
      return values;
    },
  };
}

playOp("Fused", {
  run([inputs, group], call) {
    const values = group.run(inputs);
    call.inside = { kind: "group", body: group.body, values };
    return group.body.outputs.map((number) => values[number]);
  },
});

function predicate(tensor) {
  if (tensor.shape.length)
    throw new PlayError(`a condition must be a scalar bool, and has shape ${spaced(tensor.shape)} in this run. Reduce it to one, with tf.reduce_all or tf.reduce_any`);
  return Boolean(tensor.data[0]);
}

playOp("If", {
  *steps([pred, operands, thenBranch, elseBranch], call) {
    const taken = predicate(pred) ? 0 : 1;
    const inside = { kind: "branch", taken, frame: null };
    try {
      const [results, frame] = yield* [thenBranch, elseBranch][taken].steps(operands);
      inside.frame = frame;
      call.inside = inside;
      return results;
    } catch (error) {
      inside.frame = error.frame || null;
      error.inside = inside;
      throw error;
    }
  },
});

playOp("While", {
  *steps([limit, operands, cond, body, variables, rows, reverse], call) {
    const inside = { kind: "loop", iterations: [], count: 0 };
    call.inside = inside;
    let now = operands.slice(0, variables);
    const given = operands.slice(variables, variables + rows), captures = operands.slice(variables + rows);
    const most = mostIterations(isTensor(limit) ? limit : null, given);
    const stacks = [];
    let kept = null; // the frames of this iteration
    const frameOf = (error, part) => {
      if (error.frame) inside.iterations.push({ ...kept, [part]: error.frame });
      error.inside = inside;
      if (error.frame) error.message = `iteration ${inside.count}: ${error.message}`;
      throw error;
    };
    while (most === null || inside.count < most) {
      if (inside.count >= LOOP_LIMIT) {
        const error = new PlayError(`the loop ${call.node} has not ended after ${LOOP_LIMIT} iterations`);
        error.inside = inside;
        throw error;
      }
      const at = reverse && most !== null ? most - 1 - inside.count : inside.count;
      const inputs = [...now, ...given.map((each) => rowOf(each, at)), ...captures];
      kept = { cond: null, body: null };
      let found;
      try {
        const [[goesOn], frame] = yield* cond.steps(inputs);
        kept.cond = frame;
        if (!predicate(goesOn)) {
          inside.last = frame;
          break;
        }
      } catch (error) {
        frameOf(error, "cond");
      }
      try {
        const [results, frame] = yield* body.steps(inputs);
        kept.body = frame;
        found = results;
      } catch (error) {
        frameOf(error, "body");
      }
      found.slice(variables).forEach((row, i) => (stacks[i] = stacks[i] || new Map()).set(at, row));
      now = found.slice(0, variables);
      if (inside.count < KEPT_ITERATIONS) inside.iterations.push(kept);
      inside.count += 1;
      yield;
    }
    const stacked = [];
    for (const [i, info] of call.out.slice(variables, -1).entries()) {
      if (stacks[i]) stacked.push(stackOf(stacks[i], inside.count, info));
      else stacked.push(zerosOf(info.dtype, [0, ...(yield* resultShape(body, variables + i, [...now, ...given.map(zeroRowOf), ...captures]))]));
    }
    return [...now, ...stacked, scalarTensor("int64", BigInt(inside.count))];
  },
});

function mostIterations(limit, given) {
  const sizes = given.map((each) => each.shape[0]);
  if (sizes.some((size) => size !== sizes[0])) throw new PlayError(`the operands given by rows have the shapes ${given.map((each) => listed(each.shape)).join(", ")}; all must have the same number of rows`);
  if (limit !== null) sizes.push(Math.max(0, Number(limit.data[0])));
  return sizes.length ? Math.min(...sizes) : null;
}

function rowOf(tensor, at) {
  const shape = tensor.shape.slice(1);
  const width = sizeOfShape(shape) * partsOf(tensor.dtype);
  return tensorOf(tensor.dtype, shape, tensor.data.slice(at * width, (at + 1) * width));
}

const zeroRowOf = (tensor) => zerosOf(tensor.dtype, tensor.shape.slice(1));

// The shape of a result of a body that has not run, from what it would be given; else a run on zeros finds it.
function* resultShape(body, number, inputs) {
  const sizes = body.plan.results[number];
  if (sizes !== null)
    return sizes.map((size) => (Array.isArray(size) ? size.slice(1).reduce((sum, [times, input, axis]) => sum + times * inputs[input].shape[axis], size[0]) : size));
  try {
    return (yield* body.steps(inputs))[0][number].shape;
  } catch (error) {
    if (error instanceof PlayError) return [];
    throw error;
  }
}

// The rows of a stack as one tensor.
function stackOf(rows, count, info) {
  const first = rows.values().next().value;
  const made = zerosOf(info.dtype, [count, ...first.shape]);
  const width = sizeOf(first) * partsOf(first.dtype);
  for (const [at, row] of rows) {
    if (!sameShape(row.shape, first.shape)) throw new PlayError(`the rows of a stack have shapes ${spaced(first.shape)} and ${spaced(row.shape)}; they must have one shape`);
    copyRow(made.data, at, row.data, 0, width);
  }
  return made;
}
