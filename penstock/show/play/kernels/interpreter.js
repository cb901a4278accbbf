// The interpreter: runs a plan step by step on tensors, and keeps every value, so that going back is a look-up.
//
// A *frame* is one run of one plan:
//
//   plan      the plan as data: slots, feeds, constants, steps, fetches
//   values    slot -> tensor; undefined where nothing was computed
//   states    step -> "" (not run), "done", "failed", "blocked" (an operand is missing), "recorded" or "stale"
//   errors    step -> text, where it failed
//   inside    step -> what ran inside of it: see control_flow.js
//   until     the steps before this one run
//
// Work that may last long is a generator: it yields between steps and iterations. `finish` runs it to its end,
// `finishInChunks` lets the page breathe in between.

// `recorded` has the values of steps without a kernel by slot; `reference` is the frame of the run that was recorded.
let innerConstants = new Map(); // name -> tensor: the constants of graphs inside ops that a reader may edit, as they are now

function newFrame(plan, recorded = null, reference = null) {
  const values = new Array(plan.slots.length).fill(undefined);
  const frame = { plan, recorded, reference, values, staleSlots: new Set(), states: plan.steps.map(() => ""), errors: new Map(), inside: new Map(), fixed: new Map(), until: 0 };
  plan.constants.forEach(([slot, made], i) => (frame.values[slot] = (plan.constantNames && innerConstants.get(plan.constantNames[i])) || tensorOnce(made)));
  return frame;
}

// Tensors of the page's data are read once: plans share their constants with every frame.
const TENSORS_READ = new WeakMap();
function tensorOnce(made) {
  if (!TENSORS_READ.has(made)) TENSORS_READ.set(made, tensorFromData(made));
  return TENSORS_READ.get(made);
}

function finish(work) {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

// Runs `work` in pieces of some milliseconds; returns a function that stops it.
function finishInChunks(work, whenDone, milliseconds = 12) {
  let timer = 0;
  const go = () => {
    const until = performance.now() + milliseconds;
    do {
      const { done, value } = work.next();
      if (done) return whenDone(value);
    } while (performance.now() < until);
    timer = setTimeout(go, 0);
  };
  go();
  return () => clearTimeout(timer);
}

// ---- the arguments of a step

const slotsOfArg = (arg) => ("t" in arg ? [arg.t] : "ts" in arg ? arg.ts : []);
const readsOf = (step) => step.args.flatMap(slotsOfArg);

function attributeOf(arg, frame) {
  if ("tensor" in arg) return tensorOnce(arg.tensor);
  if ("plan" in arg) return planFunction(arg.plan, frame);
  if ("body" in arg) return bodyFunction(arg.body, frame);
  if ("dtype" in arg) return { dtype: arg.dtype };
  return arg.v;
}

const argOf = (arg, frame) =>
  "t" in arg ? frame.values[arg.t] : "ts" in arg ? arg.ts.map((slot) => frame.values[slot]) : attributeOf(arg, frame);

// ---- running

// Runs step `k`. Its outputs are in `frame.values` afterwards, unless its state is "failed" or "blocked".
function* runStep(frame, k) {
  const step = frame.plan.steps[k];
  frame.errors.delete(k);
  frame.inside.delete(k);
  if (step.given) return useRecorded(frame, k);
  if (readsOf(step).some((slot) => frame.values[slot] === undefined)) return stop(frame, k, "blocked");
  // A step that runs again in the same run draws the same numbers.
  if (!frame.isInside && drawsNumbers(step)) for (const node of nodesThatDraw(step)) for (const by of [randomStreams.drawn, randomStreams.kept]) by.delete(node);
  const kernel = PLAY_KERNELS.get(step.op);
  try {
    const args = step.args.map((arg) => argOf(arg, frame));
    const call = { node: step.node, out: step.out.map((slot) => frame.plan.slots[slot]), inside: null };
    const results = kernel.steps ? yield* kernel.steps(args, call) : kernel.run(args, call);
    if (call.inside) frame.inside.set(k, call.inside);
    step.out.forEach((slot, i) => (frame.values[slot] = frame.fixed.get(slot) || results[i]));
    frame.states[k] = "done";
  } catch (error) {
    if (!(error instanceof PlayError)) throw error;
    if (error.inside) frame.inside.set(k, error.inside);
    frame.errors.set(k, error.message);
    stop(frame, k, "failed");
  }
}

function stop(frame, k, state) {
  frame.states[k] = state;
  for (const slot of frame.plan.steps[k].out) frame.values[slot] = frame.fixed.get(slot);
}

// A step without a kernel shows what Python recorded, or how it failed there; it is `stale` where its operands are not
// those of that run.
function useRecorded(frame, k) {
  const step = frame.plan.steps[k];
  if (step.lacks) {
    frame.errors.set(k, step.lacks);
    return stop(frame, k, "failed");
  }
  step.out.forEach((slot) => {
    const made = frame.recorded && frame.recorded[slot];
    frame.values[slot] = frame.fixed.get(slot) || (made ? tensorOnce(made) : undefined);
  });
  const asRecorded = (slot) => {
    const [before, now] = [frame.reference.values[slot], frame.values[slot]];
    if (before === undefined && now === undefined) return true; // an object of the session: only Python has it
    const cells = changedCells(before, now);
    return cells !== null && !cells.length;
  };
  const isOther = step.anew && frame.isLater; // what draws, or takes from a queue, gives something else in each run
  frame.states[k] = !frame.reference || (!isOther && readsOf(step).every(asRecorded)) ? "recorded" : "stale";
}

// Runs the steps of `wanted` (all without it) that have not run, up to step `until`. Ends early where one fails.
function* runPlan(frame, until = frame.plan.steps.length, wanted = null) {
  frame.until = until;
  for (let k = 0; k < until; k++) {
    if (frame.states[k] !== "" || (wanted && !wanted.has(k))) continue;
    yield* runStep(frame, k);
    if (frame.states[k] === "failed") return k;
    yield;
  }
  markStale(frame);
  return null;
}

// ---- edits

// Puts `edits` (slot -> tensor; null takes an edit of a computed value back) and runs again what depends on them.
// Tells which steps ran, and for each slot whose value changed the cells (null: its shape did).
function* applyEdits(frame, edits, wanted = null) {
  const { steps } = frame.plan;
  const changed = new Map();
  const ran = [];
  const note = (slot, before) => {
    const cells = before === undefined && frame.values[slot] === undefined ? [] : changedCells(before, frame.values[slot]);
    if (cells === null || cells.length) changed.set(slot, cells);
  };
  const producer = producersOf(frame.plan);
  const again = new Set();
  for (const [slot, tensor] of edits) {
    const before = frame.values[slot];
    if (producer[slot] === undefined) frame.values[slot] = tensor === null ? undefined : tensor;
    else {
      if (tensor === null) frame.fixed.delete(slot);
      else frame.fixed.set(slot, tensor);
      if (tensor === null) again.add(producer[slot]);
      else frame.values[slot] = tensor;
    }
    note(slot, before);
  }
  let failed = null;
  for (let k = 0; k < frame.until; k++) {
    const step = steps[k];
    if (wanted && !wanted.has(k)) continue;
    if (failed !== null) {
      leaveOut(frame, k, note);
      continue;
    }
    const isHit = again.has(k) || dependsOn(step, changed) || ["", "failed", "blocked"].includes(frame.states[k]);
    if (!isHit) continue;
    const before = step.out.map((slot) => frame.values[slot]);
    yield* runStep(frame, k);
    if (!step.given) ran.push(k);
    step.out.forEach((slot, i) => note(slot, before[i]));
    if (frame.states[k] === "failed") failed = k;
    yield;
  }
  markStale(frame);
  return { changed, ran, failed };
}

const dependsOn = (step, changed) => readsOf(step).some((slot) => changed.has(slot));

// A step behind one that failed does not run, as in Python: what it had computed is gone.
function leaveOut(frame, k, note) {
  const { out } = frame.plan.steps[k];
  const before = out.map((slot) => frame.values[slot]);
  frame.errors.delete(k);
  frame.inside.delete(k);
  stop(frame, k, "");
  out.forEach((slot, i) => note(slot, before[i]));
}

// For each slot the step that makes it.
function producersOf(plan) {
  if (!plan.producers) {
    plan.producers = new Array(plan.slots.length);
    plan.steps.forEach((step, k) => step.out.forEach((slot) => (plan.producers[slot] = k)));
  }
  return plan.producers;
}

// What reads a stale value is stale too, even though it was computed.
function markStale(frame) {
  const { steps } = frame.plan;
  const stale = new Set();
  frame.staleSlots = stale;
  steps.forEach((step, k) => {
    if (frame.states[k] === "stale" || readsOf(step).some((slot) => stale.has(slot))) step.out.forEach((slot) => stale.add(slot));
  });
}

// ---- what fetches need

// The steps that the values of `slots` and the steps `targets` need, with those that must run before them.
function neededSteps(plan, slots, targets = []) {
  const producer = producersOf(plan);
  const needed = new Set();
  const waiting = [...targets, ...slots.map((slot) => producer[slot])].filter((k) => k !== undefined);
  while (waiting.length) {
    const k = waiting.pop();
    if (needed.has(k)) continue;
    needed.add(k);
    for (const slot of readsOf(plan.steps[k])) if (producer[slot] !== undefined) waiting.push(producer[slot]);
    waiting.push(...(plan.steps[k].after || []));
  }
  return needed;
}
