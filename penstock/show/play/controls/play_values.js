// The values of the play page by name, as the drawing and the cards ask for them.
//
// A name such as "add:0" leads to a *place*: the slot of the plan, and the way to the frame that holds it. A place inside a
// loop, a branch or a fused group has a way: [{step, part}, ...] from the outermost plan inwards.

const player = newPlay(DATA.play);
player.firstStreams = player.streams;
const ASKED = DATA.play.asked;
const VIEW_OF_PLAN = new Map(DATA.views.map((each, number) => [each.name, number]));
const placesByPlan = new Map();

// name -> place, for all values of a plan and of the graphs inside its steps.
function placesOfPlan(name) {
  if (!placesByPlan.has(name)) {
    const found = new Map(), plan = DATA.play.plans[name];
    // A fetch is the slot that gives it, whatever a pass has made of its node.
    plan.fetched.forEach(({ slot }, at) => slot !== null && addPlace(found, ASKED[at], { way: [], slot, step: producersOf(plan)[slot] }));
    DATA.play.names[name].forEach((value, slot) => value && addPlace(found, value, { way: [], slot, step: producersOf(plan)[slot] }));
    notePlaces(found, plan, []);
    placesByPlan.set(name, found);
  }
  return placesByPlan.get(name);
}

function addPlace(found, name, place) {
  if (!found.has(name)) found.set(name, { name, ...place });
}

function notePlaces(found, plan, way) {
  if (way.length) for (const [name, slot] of plan.feeds) addPlace(found, name, { way, slot, step: undefined });
  (plan.constantNames || []).forEach((name, i) => name && addPlace(found, name, { way, slot: plan.constants[i][0], step: undefined }));
  plan.steps.forEach((step, k) => {
    step.out.forEach((slot, i) => addPlace(found, `${step.node}:${i}`, { way, slot, step: k }));
    insidesOf(step).forEach(([part, inner]) => notePlaces(found, inner, [...way, { step: k, part }]));
    const group = step.args.find((arg) => "body" in arg);
    if (group) group.body.instructions.forEach(({ node }, i) =>
      addPlace(found, `${node}:0`, { way: [...way, { step: k, part: "group" }], slot: group.body.inputs.length + i, step: k }));
  });
}

// The graphs inside a step: [part, plan]; the parts of a branch are 0 and 1, those of a loop "cond" and "body".
function insidesOf(step) {
  const plans = step.args.filter((arg) => "plan" in arg).map((arg) => arg.plan);
  return plans.map((plan, i) => [step.op === "While" ? ["cond", "body"][i] : i, plan]);
}

const placeOfName = (name) => {
  const places = placesOfPlan(player.inUse);
  return places.get(name) || places.get(name.replace(/:0$/, "")) || null;
};

// What ran inside a step of a frame: its frame (of a loop that of the chosen iteration), or a list of values of a group.
function insideAt(frame, { step, part }) {
  const inside = frame.inside.get(step);
  if (!inside) return null;
  if (inside.kind === "branch") return inside.taken === part ? inside.frame : null;
  if (inside.kind === "group") return inside;
  const kept = inside.iterations[positionIn(numberOfLoop(frame.plan.steps[step].node))];
  return (kept && kept[part]) || null;
}

// The frame of a place; null where it did not run.
function frameOfPlace(place) {
  let frame = player.frame;
  for (const turn of place.way) if (frame) frame = insideAt(frame, turn);
  return frame;
}

// The tensor at a place now, whatever step is shown.
function tensorAt(place) {
  const frame = place && frameOfPlace(place);
  return (frame && frame.values[place.slot]) || null;
}

// ---- what the reader sees at this step

// The number of steps of the outermost plan whose values are shown.
const stepsShown = () => (state.step ? state.step : state.before ? 0 : Infinity);
const outerStep = (place) => (place.way.length ? place.way[0].step : place.step);

function isShown(place) {
  const step = outerStep(place);
  return step === undefined || step < stepsShown();
}

// The tensor of a name as it is shown: null before its step, and the old one until an edit has flowed there.
function shownTensor(name) {
  const place = placeOfName(name);
  if (!place || !isShown(place)) return null;
  const old = oldTensor(place);
  return old === undefined ? tensorAt(place) : old;
}

// The names of the values that a box shows.
function valuesOfBox(box) {
  if (box.closed) return box.closed.face && box.closed.face.box >= 0 ? valuesOfBox(view.boxes[box.closed.face.box]) : []; // of a variable
  const known = placesOfPlan(player.inUse), names = [];
  for (let i = 0; known.has(`${box.id}:${i}`); i++) names.push(`${box.id}:${i}`);
  if (!names.length && known.has(box.id)) names.push(box.id);
  const step = stepOfBox(box);
  if (step && step.op === "Fused") return step.out.map((slot) => DATA.play.names[player.inUse][slot]).filter(Boolean);
  return names;
}

// The outermost step of a box in the plan in use.
function stepOfBox(box) {
  const number = stepNumberOf(box.id);
  return number === undefined ? null : player.frame.plan.steps[number];
}

function stepNumberOf(node) {
  const { plan } = player.frame;
  if (!plan.byNode) plan.byNode = new Map(plan.steps.map((step, k) => [step.node, k]).reverse());
  return plan.byNode.get(node);
}

// [text, kind] about the state of a step; kind is "failed", "recorded", "stale", "skipped" or "".
function stateOfStep(k) {
  const { frame } = player, step = frame.plan.steps[k], found = frame.states[k];
  if (found === "failed") return [frame.errors.get(k), "failed"];
  if (found === "blocked") return ["Not computed: what it reads is missing.", "skipped"];
  if (found === "recorded") return [`Not computed on this page: ${step.given}. The values are those that Python recorded.`, "recorded"];
  if (found === "stale" && step.anew && frame.isLater) return [`Recorded in the first run, not recomputed: ${step.given}, and this run would give something else.`, "stale"];
  if (found === "stale") return [`Recorded, not recomputed: ${step.given}, and something before it was edited.`, "stale"];
  const isStale = frame.staleSlots && step.out.some((slot) => frame.staleSlots.has(slot));
  if (isStale) return ["It reads a recorded value that was not recomputed.", "stale"];
  if (player.wanted && !player.wanted.has(k)) return ["Not computed: the chosen fetches do not need it.", "skipped"];
  if (found === "" && frame.errors.size) return ["Not computed: a step before it failed.", "skipped"];
  return ["", ""];
}

// The name under which a reader edits a value: of a feed, an editable constant, or a variable; null for other values.
function editedAs(name) {
  const place = placeOfName(name);
  if (!place) return null;
  if (place.way.length) return player.inner.has(place.name) ? place.name : null;
  const fed = player.feeds.has(name) ? name : player.feeds.has(`${name}:0`) ? `${name}:0` : null;
  if (fed) return fed;
  const kept = player.frame.plan.state.find(([, kind, slot]) => slot === place.slot && kind !== "asks");
  return kept && player.variables.get(kept[0]) ? kept[0] : null;
}

const typeOfTensor = ({ dtype, shape }) => `${dtype} ${shapeWords(shape)}`;
const shapeWords = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
