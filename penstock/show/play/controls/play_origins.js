// Where an element came from and where it goes, by the steps of the plan.
//
// An *element* is {name, cell}. A kernel tells by `moves` where each element of its results came from; an elementwise one
// reads the elements at the same place. Of other ops nothing is known about single elements.

let allTheWay = false; // through all steps, or only to the next ones
const MOST_ORIGINS = 400; // elements that are marked at once

// For each result of a step a list: for each element the [operand, element] pairs it was made of; null if not known.
function movesOfStep(frame, k) {
  if (!frame.moves) frame.moves = new Map();
  const step = frame.plan.steps[k], slots = readsOf(step), operands = slots.map((slot) => frame.values[slot]);
  const results = step.out.map((slot) => frame.values[slot]), known = frame.moves.get(k);
  if (known && known.of.every((each, i) => each === [...operands, ...results][i])) return known.moves;
  const moves = step.given || [...operands, ...results].some((each) => !each) ? null : movesOfOp(step, frame, operands, results);
  frame.moves.set(k, { of: [...operands, ...results], moves });
  return moves;
}

function movesOfOp(step, frame, operands, results) {
  const kernel = PLAY_KERNELS.get(step.op);
  const group = step.args.find((arg) => "body" in arg);
  if (group) return movesOfGroup(group.body, frame.inside.get(frame.plan.steps.indexOf(step)), operands);
  return movesOfKernel(kernel, step.args.map((arg) => argOf(arg, frame)), operands, results);
}

function movesOfKernel(kernel, args, operands, results) {
  if (!kernel) return null;
  try {
    if (kernel.moves) return kernel.moves(args, results).map((list) => list && Array.from(list, asPairs));
    if (kernel.isElementwise) return results.map((result, at) => elementwiseMoves(operands, result, results.length > 1 ? at : null));
  } catch (error) {
    if (!(error instanceof PlayError)) throw error;
  }
  return null;
}

const asPairs = (from) => (from === null || from === undefined ? [] : typeof from[0] === "number" ? [from] : from);

function elementwiseMoves(operands, result, only) {
  const given = operands.map((operand, number) => [number, operand]).filter(([number]) => only === null || operands.length === 1 || number === only);
  const places = given.map(([number, operand]) => [number, sizeOf(operand) ? broadcastPlaces(operand.shape, result.shape) : null]);
  return Array.from({ length: sizeOf(result) }, (_, cell) => places.map(([number, from]) => [number, from ? from[cell] : cell]));
}

// Through the instructions of a fused group: the inputs that each output was made of.
function movesOfGroup(body, inside, operands) {
  if (!inside) return null;
  const count = body.inputs.length, through = []; // value -> for each element the inputs
  operands.forEach((operand, number) => (through[number] = Array.from({ length: sizeOf(operand) }, (_, cell) => [[number, cell]])));
  body.instructions.forEach(({ op, args }, i) => {
    const from = args.filter((arg) => "val" in arg).map((arg) => arg.val), results = [inside.values[count + i]];
    const given = args.map((arg) => ("val" in arg ? inside.values[arg.val] : attributeOf(arg, null)));
    const moves = movesOfKernel(PLAY_KERNELS.get(op), given, from.map((number) => inside.values[number]), results);
    through[count + i] = moves && moves[0] && moves[0].map((pairs) => uniquePairs(pairs.flatMap(([operand, cell]) => (through[from[operand]] || [])[cell] || [])));
  });
  return body.outputs.map((number) => through[number] || null);
}

const uniquePairs = (pairs) => [...new Map(pairs.map((pair) => [pair.join(" "), pair])).values()];

// ---- elements by name -------------------------------------------------------------------------------------------

// The name of a slot in the graph around a place.
function namesInFrame(place) {
  if (!place.way.length) return DATA.play.names[player.inUse];
  const key = place.way.map(({ step, part }) => `${step}.${part}`).join("/");
  const known = (placesOfPlan(player.inUse).inner = placesOfPlan(player.inUse).inner || new Map());
  if (!known.has(key)) {
    const names = [];
    for (const each of placesOfPlan(player.inUse).values())
      if (each.way.map(({ step, part }) => `${step}.${part}`).join("/") === key) names[each.slot] = each.name;
    known.set(key, names);
  }
  return known.get(key);
}

// The elements that {name, cell} was made of: one step back.
function cameFrom({ name, cell }) {
  const place = placeOfName(name), frame = place && frameOfPlace(place);
  if (!frame || !frame.plan) return [];
  if (place.step === undefined) return enteredFrom(place, cell);
  const step = frame.plan.steps[place.step], names = namesInFrame(place);
  const inner = insideResult(frame, place, cell);
  if (inner) return inner;
  const moves = movesOfStep(frame, place.step), list = moves && moves[step.out.indexOf(place.slot)];
  const slots = readsOf(step);
  return ((list && list[cell]) || []).map(([operand, from]) => ({ name: names[slots[operand]], cell: from })).filter((each) => each.name);
}

// The elements that were made of {name, cell}: one step on.
function goesInto({ name, cell }) {
  const place = placeOfName(name), frame = place && frameOfPlace(place), found = [];
  if (!frame || !frame.plan) return [];
  const names = namesInFrame(place);
  frame.plan.steps.forEach((step, k) => {
    const operands = readsOf(step).flatMap((slot, i) => (slot === place.slot ? [i] : []));
    if (!operands.length) return;
    const moves = movesOfStep(frame, k);
    (moves || []).forEach((list, at) => (list || []).forEach((pairs, to) => {
      if (pairs.some(([operand, from]) => from === cell && operands.includes(operand))) found.push({ name: names[step.out[at]], cell: to });
    }));
    insidesOf(step).forEach(([part, inner]) => {
      for (const number of enteringOperands(step, operands)) {
        const entered = inner.feeds[number], to = entered && placeOfName(entered[0]);
        if (to && tensorAt(to) === frame.values[place.slot]) found.push({ name: entered[0], cell }); // in a loop: not after the first iteration
      }
    });
  });
  return found.filter((each) => each.name && placeOfName(each.name) && shownTensor(each.name));
}

// The numbers of the inner inputs that operands of a branch or loop become: its second argument holds them.
function enteringOperands(step, operands) {
  const first = slotsOfArg(step.args[0]).length;
  return operands.filter((number) => number >= first).map((number) => number - first);
}

// An input of a branch is its operand; so is that of a loop in its first iteration.
function enteredFrom(place, cell) {
  if (!place.way.length) return [];
  const outer = { way: place.way.slice(0, -1) }, frame = frameOfPlace(outer), turn = place.way[place.way.length - 1];
  if (!frame) return [];
  const step = frame.plan.steps[turn.step], inner = insidesOf(step).find(([part]) => part === turn.part);
  const number = inner ? inner[1].feeds.findIndex(([, slot]) => slot === place.slot) : -1, slots = slotsOfArg(step.args[1]);
  if (number < 0 || slots[number] === undefined) return [];
  const name = namesInFrame(outer)[slots[number]];
  return name && tensorAt(placeOfName(name)) === tensorAt(place) ? [{ name, cell }] : [];
}

// A result of a branch is a result of the graph that was taken; of a loop that of the last iteration, if it is shown.
function insideResult(frame, place, cell) {
  const inside = frame.inside.get(place.step), step = frame.plan.steps[place.step];
  if (!inside || inside.kind === "group") return null;
  const part = inside.kind === "branch" ? inside.taken : "body", inner = insidesOf(step).find(([each]) => each === part);
  const slot = inner && inner[1].fetches[step.out.indexOf(place.slot)];
  if (slot === undefined) return [];
  const names = namesInFrame({ way: [...place.way, { step: place.step, part }] }), name = names[slot];
  return name && tensorAt(placeOfName(name)) === frame.values[place.slot] ? [{ name, cell }] : [];
}

// All elements before and after one: {sources, targets, lines: [[from, to]]}, keys "name cell" in the sets.
function originsOfElement(element) {
  const lines = [], walk = (next, turned) => {
    const found = new Set(), waiting = [element];
    while (waiting.length && found.size < MOST_ORIGINS) {
      const here = waiting.shift();
      for (const other of next(here)) {
        lines.push(turned ? [here, other] : [other, here]);
        const key = keyOfCell(other);
        if (found.has(key)) continue;
        found.add(key);
        if (allTheWay) waiting.push(other);
      }
    }
    return found;
  };
  return { sources: walk(cameFrom, false), targets: walk(goesInto, true), lines };
}

const keyOfCell = ({ name, cell }) => `${name} ${cell}`;
