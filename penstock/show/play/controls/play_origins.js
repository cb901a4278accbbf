// Where an element came from and where it goes, by the steps of the plan.
//
// An *element* is {name, cell}. A kernel tells by `moves` where each element of its results came from; an elementwise one
// reads the elements at the same place. Of other ops nothing is known about single elements. What passes through a
// TensorArray is followed to the tensors before and behind it: its own elements, with cells "index:number", have no mark.

let allTheWay = false; // through all steps, or only to the next ones
const MOST_ORIGINS = 400; // elements that are marked at once
const MOST_PASSED = 4000; // elements of TensorArrays on the way to one step

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
    if (kernel.moves) return kernel.moves(args, results).map((list) => list && (ofElements(list) ? list : Array.from(list, asPairs)));
    if (kernel.isElementwise && results.some(({ dtype }) => kindOf(dtype) === "v")) return handedOn(operands, results);
    if (kernel.isElementwise) return results.map((result, at) => elementwiseMoves(operands, result, results.length > 1 ? at : null));
  } catch (error) {
    if (!(error instanceof PlayError)) throw error;
  }
  return null;
}

// Whether moves are those of a TensorArray: an object by cells, not a list.
const ofElements = (moves) => !Array.isArray(moves) && moves.length === undefined;
const asPairs = (from) => (from === null || from === undefined ? [] : typeof from[0] === "number" ? [from] : from);

// Variants that an op only hands on. (Pages without TensorArrays have none of their scripts.)
function handedOn(operands, results) {
  return results.map((result, at) => {
    if (!operands[at] || operands[at].data !== result.data) return null;
    const found = {}, content = result.data[0];
    for (const [index, value] of (content && content.entries) || [])
      for (let i = 0; value && i < sizeOf(value); i++) found[`${index}:${i}`] = [[at, `${index}:${i}`]];
    return found;
  });
}

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

// An element may be in another iteration than the one that is shown: {name, cell, turns}, with the iteration of each loop
// by its number. `inTurns` looks there.
function inTurns(element, look) {
  if (!element.turns) return look();
  const before = iterationOf.slice();
  for (const [number, at] of element.turns) iterationOf[number] = at;
  try { return look(); } finally { iterationOf.splice(0, iterationOf.length, ...before); }
}

// {name, cell} in iteration `at` of a loop; in the one that is shown it is an element like any other.
const atIteration = (element, turns, number, at) => ({ ...element, turns: new Map([...(turns || []), [number, at]]) });

// Outside of a loop its iteration says nothing.
function outside(turns, loop) {
  const rest = [...(turns || [])].filter(([number]) => number !== loop);
  return rest.length ? new Map(rest) : null;
}

function settled(element) {
  if (!element.turns) return element;
  const turns = [...element.turns].filter(([number, at]) => positionIn(number) !== at);
  return { ...element, turns: turns.length ? new Map(turns) : null };
}

// The elements that {name, cell} was made of: one step back.
function cameFrom(element) {
  return inTurns(element, () => {
    const { name, cell, turns } = element, place = placeOfName(name), frame = place && frameOfPlace(place);
    if (!frame || !frame.plan) return [];
    if (place.step === undefined) return enteredFrom(place, cell, turns);
    const step = frame.plan.steps[place.step], names = namesInFrame(place);
    const inner = insideResult(frame, place, cell, turns);
    if (inner) return inner;
    const moves = movesOfStep(frame, place.step), list = moves && moves[step.out.indexOf(place.slot)];
    const slots = readsOf(step);
    return ((list && list[cell]) || []).map(([operand, from]) => ({ name: names[slots[operand]], cell: from, turns })).filter((each) => each.name);
  });
}

// The elements that were made of {name, cell}: one step on.
function goesInto(element) {
  return inTurns(element, () => {
    const { name, cell, turns } = element, place = placeOfName(name), frame = place && frameOfPlace(place), found = [];
    if (!frame || !frame.plan) return [];
    const names = namesInFrame(place);
    frame.plan.steps.forEach((step, k) => {
      const operands = readsOf(step).flatMap((slot, i) => (slot === place.slot ? [i] : []));
      if (!operands.length) return;
      const moves = movesOfStep(frame, k);
      (moves || []).forEach((list, at) => Object.entries(list || []).forEach(([to, pairs]) => {
        if (pairs.some(([operand, from]) => from === cell && operands.includes(operand))) found.push({ name: names[step.out[at]], cell: Array.isArray(list) ? Number(to) : to, turns });
      }));
      insidesOf(step).forEach(([part, inner]) => {
        for (const number of enteringOperands(step, operands)) {
          const entered = inner.feeds[number], to = entered && placeOfName(entered[0]);
          if (!to) continue;
          if (step.op !== "While") { if (tensorAt(to) === frame.values[place.slot]) found.push({ name: entered[0], cell, turns }); }
          else found.push(...enteringLoop(step, entered[0], number, cell, turns, tensorAt(to), iterationsOf(frame, k)));
        }
      });
    });
    return [...found, ...leavingBody(place, cell, turns)].filter((each) => each.name && placeOfName(each.name) && inTurns(each, () => shownTensor(each.name)));
  });
}

const loopCounts = (step) => ({ variables: step.args[4].v, rows: step.args[5].v, reverse: Boolean(step.args[6] && step.args[6].v) });
const iterationsOf = (frame, step) => { const inside = frame && frame.inside.get(step); return inside ? inside.iterations.length : 0; };

// An operand of a loop: a loop variable begins with it, a row of it is that of one iteration, a capture is in all: that
// which is shown stands for them, but of a TensorArray each reads another element.
function enteringLoop(step, name, number, cell, turns, inner, count) {
  const { variables, rows } = loopCounts(step), loop = numberOfLoop(step.node);
  if (number < variables) return [atIteration({ name, cell }, turns, loop, 0)];
  if (number >= variables + rows && typeof cell === "string") return Array.from({ length: count }, (_, at) => atIteration({ name, cell }, turns, loop, at));
  if (number >= variables + rows) return [{ name, cell, turns }];
  const width = inner ? sizeOf(inner) : 0;
  return width ? [atIteration({ name, cell: cell % width }, turns, loop, Math.floor(cell / width))] : [];
}

// A result of a body goes into its loop variable in the next iteration, or out of the loop in the last one.
function leavingBody(place, cell, turns) {
  const turn = place.way[place.way.length - 1], outer = { way: place.way.slice(0, -1) }, frame = turn && turn.part === "body" ? frameOfPlace(outer) : null;
  if (!frame || !frame.plan) return [];
  const step = frame.plan.steps[turn.step], [, body] = insidesOf(step).find(([part]) => part === "body"), loop = numberOfLoop(step.node);
  const { variables } = loopCounts(step), at = positionIn(loop), count = iterationsOf(frame, turn.step), found = [];
  body.fetches.forEach((slot, number) => {
    if (slot !== place.slot) return;
    const out = namesInFrame(outer)[step.out[number]];
    if (number >= variables) found.push({ name: out, cell: at * sizeOf(tensorAt(place)) + cell, turns: outside(turns, loop) });
    else if (at + 1 < count) found.push(atIteration({ name: body.feeds[number][0], cell }, turns, loop, at + 1));
    else if (at + 1 === count) found.push({ name: out, cell, turns: outside(turns, loop) });
  });
  return found;
}

// The numbers of the inner inputs that operands of a branch or loop become: its second argument holds them.
function enteringOperands(step, operands) {
  const first = slotsOfArg(step.args[0]).length;
  return operands.filter((number) => number >= first).map((number) => number - first);
}

// An input of a branch is its operand; of a loop it is an operand, a row of one, or what the iteration before gave.
function enteredFrom(place, cell, turns) {
  if (!place.way.length) return [];
  const outer = { way: place.way.slice(0, -1) }, frame = frameOfPlace(outer), turn = place.way[place.way.length - 1];
  if (!frame) return [];
  const step = frame.plan.steps[turn.step], inner = insidesOf(step).find(([part]) => part === turn.part);
  const number = inner ? inner[1].feeds.findIndex(([, slot]) => slot === place.slot) : -1, slots = slotsOfArg(step.args[1]);
  if (number < 0 || slots[number] === undefined) return [];
  const name = namesInFrame(outer)[slots[number]];
  if (step.op === "While") {
    const { variables, rows } = loopCounts(step), loop = numberOfLoop(step.node), at = positionIn(loop);
    if (number < variables && at > 0) {
      const [, body] = insidesOf(step).find(([part]) => part === "body"), names = namesInFrame({ way: [...outer.way, { step: turn.step, part: "body" }] });
      const before = names[body.fetches[number]];
      return before ? [atIteration({ name: before, cell }, turns, loop, at - 1)] : [];
    }
    if (number >= variables && number < variables + rows) return name ? [{ name, cell: at * sizeOf(tensorAt(place)) + cell, turns: outside(turns, loop) }] : [];
    return name ? [{ name, cell, turns: outside(turns, loop) }] : [];
  }
  return name && tensorAt(placeOfName(name)) === tensorAt(place) ? [{ name, cell, turns }] : [];
}

// A result of a branch is a result of the graph that was taken; of a loop that of the last iteration, or a row of each.
function insideResult(frame, place, cell, turns) {
  const inside = frame.inside.get(place.step), step = frame.plan.steps[place.step];
  if (!inside || inside.kind === "group") return null;
  const part = inside.kind === "branch" ? inside.taken : "body", inner = insidesOf(step).find(([each]) => each === part);
  const number = step.out.indexOf(place.slot), slot = inner && inner[1].fetches[number];
  if (slot === undefined) return [];
  const names = namesInFrame({ way: [...place.way, { step: place.step, part }] }), name = names[slot];
  if (!name) return [];
  if (inside.kind === "branch") return tensorAt(placeOfName(name)) === frame.values[place.slot] ? [{ name, cell, turns }] : [];
  const { variables } = loopCounts(step), count = inside.iterations.length, loop = numberOfLoop(step.node);
  if (!count || count < inside.count) return [];
  if (number < variables) return [atIteration({ name, cell }, turns, loop, count - 1)];
  const width = sizeOf(frame.values[place.slot]) / count;
  return [atIteration({ name, cell: cell % width }, turns, loop, Math.floor(cell / width))];
}

// The next elements of tensors, through those of TensorArrays.
function beyondArrays(element, next) {
  const found = [], waiting = [element], passed = new Set();
  while (waiting.length && passed.size < MOST_PASSED)
    for (const each of next(waiting.shift())) {
      const other = settled(each), key = keyOfCell(other);
      if (typeof other.cell === "number") found.push(other);
      else if (!passed.has(key)) waiting.push(passed.add(key) && other);
    }
  return found;
}

// All elements before and after one: {sources, targets, lines: [[from, to]]}; the first two by key.
function originsOfElement(element) {
  const lines = [], walk = (next, back) => {
    const found = new Map(), waiting = [element];
    while (waiting.length && found.size < MOST_ORIGINS) {
      const here = waiting.shift();
      for (const other of beyondArrays(here, next)) {
        const key = keyOfCell(other);
        lines.push(back ? [here, other] : [other, here]);
        if (found.has(key)) continue;
        found.set(key, other);
        if (allTheWay) waiting.push(other);
      }
    }
    return found;
  };
  return { sources: walk(cameFrom, false), targets: walk(goesInto, true), lines };
}

const keyOfCell = ({ name, cell, turns }) => `${name} ${cell}${turns ? ` ${[...turns].join(" ")}` : ""}`;
