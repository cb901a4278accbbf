// One playable graph: its plans, what they are fed, its variables from run to run.
//
//   plans      "written": the graph as written, "optimised": the plan of a run, "open": that with the constants fed
//   feeds      name -> tensor: placeholders, and the constants that can be edited
//   variables  name -> tensor, or null where a variable has no value yet
//   runs       how often the graph has run since the beginning or the last reset
//   streams    node -> where its stream of random blocks is at the start of this run

// The streams of the run in progress: `drawn` counts blocks by node, `kept` has what its calls leave behind for the next ones.
const streamsFrom = (starts) => ({ starts, drawn: new Map(), kept: new Map() });
let randomStreams = streamsFrom(new Map());

const firstStreams = (data) => new Map((data.streams || []).map(([node, seed, seed2, drawn, kept = null]) => [node, { seeds: [BigInt(seed), BigInt(seed2)], at: BigInt(drawn), kept }]));

// Where the streams are after a run: the next one goes on there.
const streamsAfter = ({ starts, drawn, kept }) => new Map([...starts].map(([node, each]) => [node, { ...each, at: each.at + (drawn.get(node) || 0n), kept: kept.get(node) || each.kept }]));

// The constants of the graphs inside the steps of a plan, by name.
function firstInner(plan, found = new Map()) {
  for (const { args } of plan.steps)
    for (const { plan: inner } of args) {
      if (!inner) continue;
      (inner.constantNames || []).forEach((name, i) => name && found.set(name, tensorOnce(inner.constants[i][1])));
      firstInner(inner, found);
    }
  return found;
}

// Whether a constant is inside of a step.
const holdsConstant = (step, name) => step.args.some(({ plan }) => plan && ((plan.constantNames || []).includes(name) || plan.steps.some((each) => holdsConstant(each, name))));

function newPlay(data) {
  const play = { streams: firstStreams(data), inner: firstInner(data.plans.written), editedInner: new Set(), data, plan: "written", frame: null, feeds: new Map(), variables: new Map(), first: new Map(), runs: 0, edited: new Set(), wanted: null, references: new Map() };
  for (const [name, made] of data.feeds) play.feeds.set(name, tensorOnce(made));
  for (const [name, made] of data.variables) play.variables.set(name, made ? tensorOnce(made) : null);
  play.first = new Map(play.variables);
  return play;
}

// The plan that runs: constants that were edited have no place in the optimised one, where they are folded; those of graphs
// inside ops are in the graph as written alone.
function planInUse(play) {
  if (play.plan === "written" || play.editedInner.size) return "written";
  return play.data.plans.open && play.data.constants.some((name) => play.edited.has(name)) ? "open" : "optimised";
}

// The value that a variable's input gets at the start of a run; `info` is that of its slot.
function stateValue(play, name, kind, info) {
  const value = play.variables.get(name) || null;
  if (kind === "asks") return scalarTensor("bool", value ? 1 : 0);
  if (value || kind === "value") return value || undefined;
  return zerosOf(info.dtype, (info.shape || []).map((size) => (typeof size === "number" ? size : 0)));
}

function frameOfPlay(play, name, reference) {
  const plan = play.data.plans[name];
  const frame = Object.assign(newFrame(plan, play.data.recorded[name], reference), { isLater: play.runs > 0 });
  for (const [fed, slot] of plan.feeds) frame.values[slot] = play.feeds.get(fed);
  for (const [variable, kind, slot] of plan.state) frame.values[slot] = stateValue(play, variable, kind, plan.slots[slot]);
  return frame;
}

// The run that Python recorded, for plans with steps that have no kernel; null for others.
function referenceOf(play, name) {
  if (!play.data.plans[name].steps.some((step) => step.given)) return null;
  if (!play.references.has(name)) {
    const frame = frameOfPlay(newPlay(play.data), name, null);
    randomStreams = streamsFrom(firstStreams(play.data));
    innerConstants = new Map();
    finish(runPlan(frame));
    play.references.set(name, frame);
  }
  return play.references.get(name);
}

// A new frame with everything fed, in which no step has run.
function startRun(play) {
  const name = planInUse(play);
  const frame = frameOfPlay(play, name, referenceOf(play, name));
  play.frame = frame;
  randomStreams = streamsFrom(play.streams);
  innerConstants = play.inner;
  play.inUse = name;
  play.wanted = play.choose ? play.choose() : play.selected ? stepsOfFetches(play, play.selected) : null;
  return frame;
}

function* runPlay(play) {
  startRun(play);
  return yield* runPlan(play.frame, undefined, play.wanted);
}

// Edits of feeds, constants and variables by name, and of computed values by slot: what `applyEdits` tells.
function* editPlay(play, edits) {
  const plan = play.frame.plan;
  const bySlot = [];
  for (const [name, tensor] of edits) {
    if (typeof name === "number") {
      bySlot.push([name, tensor]);
      continue;
    }
    if (play.inner.has(name)) {
      setInner(play, name, tensor);
      continue;
    }
    if (play.feeds.has(name)) {
      play.feeds.set(name, tensor);
      noteEdit(play, name, tensor);
    } else play.variables.set(name, tensor);
    bySlot.push(...slotsOfName(play, plan, name, tensor));
  }
  if (planInUse(play) !== play.inUse) return yield* changePlan(play);
  return yield* applyEdits(play.frame, bySlot, play.wanted);
}

// A constant of a graph inside an op: the step with that op runs again.
function setInner(play, name, tensor) {
  play.inner = innerConstants = new Map(play.inner).set(name, tensor);
  const cells = changedCells(firstInner(play.data.plans.written).get(name), tensor);
  if (cells && !cells.length) play.editedInner.delete(name);
  else play.editedInner.add(name);
  play.frame.plan.steps.forEach((step, k) => { if (play.frame.states[k] === "done" && holdsConstant(step, name)) play.frame.states[k] = ""; });
}

function slotsOfName(play, plan, name, tensor) {
  if (play.feeds.has(name)) return plan.feeds.filter(([fed]) => fed === name).map(([, slot]) => [slot, tensor]);
  return plan.state.filter(([variable]) => variable === name).map(([, kind, slot]) => [slot, stateValue(play, name, kind, plan.slots[slot])]);
}

function noteEdit(play, name, tensor) {
  const first = play.data.feeds.find(([fed]) => fed === name)[1];
  const cells = changedCells(tensorOnce(first), tensor);
  if (cells && !cells.length) play.edited.delete(name);
  else play.edited.add(name);
}

// Another plan takes the place of the one that ran: everything is computed anew, and counts as changed.
function* changePlan(play) {
  const failed = yield* runPlay(play);
  const changed = new Map(play.frame.values.map((_, slot) => [slot, null]));
  return { changed, ran: play.frame.plan.steps.map((_, k) => k), failed };
}

function* selectPlan(play, name) {
  play.plan = name;
  return yield* changePlan(play);
}

// The values that the variables have after this run: [name, tensor] for each one written.
function writtenValues(play) {
  const { plan, values, states } = play.frame;
  const makers = producersOf(plan);
  const ran = (slot) => makers[slot] === undefined || (states[makers[slot]] !== "" && values[slot] !== undefined);
  return plan.written.filter(([, slot]) => ran(slot) && values[slot] && !values[slot].isMissing).map(([name, slot]) => [name, values[slot]]);
}

// Runs once more on what the last run has written. A run that failed wrote nothing.
function* runAgain(play) {
  const edits = play.frame.errors.size ? [] : writtenValues(play);
  play.runs += 1;
  return yield* drawAnew(play, streamsAfter(randomStreams), edits);
}

// Edits, and random numbers from other places of their streams: the steps that draw run again.
function* drawAnew(play, streams, edits) {
  play.streams = streams;
  randomStreams = streamsFrom(streams);
  play.frame.isLater = play.runs > 0;
  play.frame.plan.steps.forEach((step, k) => { if (step.anew || (drawsNumbers(step) && play.frame.states[k] === "done")) play.frame.states[k] = ""; });
  return yield* editPlay(play, edits);
}

const DRAWING = new Set([
  "RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal", "RandomShuffle", "Multinomial", "RandomGamma",
  "UniformCandidateSampler", "LogUniformCandidateSampler", "LearnedUnigramCandidateSampler", "FixedUnigramCandidateSampler",
  "AllCandidateSampler", "SampleDistortedBoundingBoxV2",
]);

// Whether a step, or a graph inside of it, draws random numbers; computed once.
function drawsNumbers(step) {
  if (step.draws === undefined) step.draws = nodesThatDraw(step).length > 0;
  return step.draws;
}

function nodesThatDraw({ op, node, args }) {
  return [...(DRAWING.has(op) ? [node] : []), ...args.flatMap((arg) => ("plan" in arg ? arg.plan.steps.flatMap(nodesThatDraw) : []))];
}

// Everything as it was when the page opened.
function* resetPlay(play) {
  play.runs = 0;
  play.inner = firstInner(play.data.plans.written);
  play.editedInner.clear();
  play.streams = firstStreams(play.data);
  play.variables = new Map(play.first);
  for (const [name, made] of play.data.feeds) play.feeds.set(name, tensorOnce(made));
  play.edited.clear();
  return yield* changePlan(play);
}

// ---- fetches

// The steps that the fetches with these numbers need; `data.fetches` is [{name, slot or null, node}] for each plan.
function stepsOfFetches(play, numbers) {
  const plan = play.data.plans[planInUse(play)];
  const slots = [], targets = [];
  for (const number of numbers) {
    const { slot, steps } = plan.fetched[number];
    if (slot !== null) slots.push(slot);
    targets.push(...steps);
  }
  return neededSteps(plan, slots, targets);
}

function* selectFetches(play, numbers) {
  play.selected = numbers;
  return yield* changePlan(play);
}

// ---- ops of variables

const missing = (name) => new PlayError(`Attempting to use uninitialized value ${name}`);

playOp("CheckedValue", {
  run([isInitialized, value, name]) {
    if (!isInitialized.data[0]) throw missing(name);
    return [value];
  },
});
playOp("KeptValue", { run: ([isInitialized, value]) => [isInitialized.data[0] ? value : { ...value, isMissing: true }] });
playOp("ValueIfInitialized", { run: ([isInitialized, value, initial]) => [isInitialized.data[0] ? value : initial] });
playOp("NextCount", {
  run([count, limit]) {
    if (scalarNumber(count, "count") >= Number(limit)) throw new PlayError(`Reached limit of ${limit}`);
    return [count, mapBinary(PLAY_KERNELS.get("Add").law, count, castTensor(scalarTensor("int32", 1), count.dtype))];
  },
});
