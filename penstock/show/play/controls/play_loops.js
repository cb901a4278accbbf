// Loops and branches of the plan in use, for the slider over iterations.

const wayOfLoop = []; // number of a loop -> the way to the frame that holds its step, and the step

const numberOfLoop = (node) => LOOPS.findIndex((loop) => loop.node === node);

// Notes the loops and branches of the plan in use in place of recorded ones.
function readLoops() {
  LOOPS.splice(0, LOOPS.length);
  loopOfNode.clear();
  wayOfLoop.length = iterationOf.length = 0;
  noteLoops(player.frame.plan, [], -1);
  loopInView = LOOPS.findIndex((loop) => loop.repeats);
  document.getElementById("loopbar").hidden = true;
}

function noteLoops(plan, way, around) {
  plan.steps.forEach((step, k) => {
    const inner = insidesOf(step);
    if (!inner.length) return;
    const number = LOOPS.length;
    LOOPS.push({ node: step.node, repeats: step.op === "While", around, runs: {} });
    wayOfLoop.push({ way, step: k });
    iterationOf.push(0);
    for (const [part, body] of inner) {
      for (const [name] of body.feeds) loopOfNode.set(name.replace(/:\d+$/, ""), number);
      for (const { node } of body.steps) loopOfNode.set(node, number);
      noteLoops(body, [...way, { step: k, part }], number);
    }
  });
}

// The iterations of a loop that were kept, in the iteration of the loops around it that is shown.
function playedLoop(number) {
  const { way, step } = wayOfLoop[number], frame = frameOfPlace({ way }), inside = frame && frame.inside && frame.inside.get(step);
  if (!inside || !isShown({ way, step })) return null;
  if (inside.kind === "branch") return [[0], null, {}];
  return inside.iterations.length ? [inside.iterations.map((_, i) => i), null, {}] : null;
}

// What the picture says of a value inside a loop: null where this iteration, or the branch taken, did not compute it.
function rowOfPlayed(name) {
  const place = placeOfName(name), tensor = place && place.way.length && isShown(place) ? tensorAt(place) : null;
  return tensor ? [typeOfTensor(tensor), sizeOf(tensor) * PLAY_DTYPES[tensor.dtype].size, null] : null;
}
