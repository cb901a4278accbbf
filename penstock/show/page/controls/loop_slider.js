// Loops and branches of the recorded run: a slider over the iterations of the loop that is looked at, and the values that
// nodes inside had in its iteration.

const LOOPS = (FACTS.loops || []).map(([node, repeats, around], number) => ({ node, repeats: Boolean(repeats), around, runs: FACTS.loopRuns[number] }));
const loopOfNode = new Map();
LOOPS.forEach((loop, number) => {
  for (const [, , values] of Object.values(loop.runs))
    for (const name of Object.keys(values)) loopOfNode.set(name.replace(/:\d+$/, ""), number);
});
const iterationOf = LOOPS.map(() => 0); // of each loop the position among the iterations that were kept
let loopInView = LOOPS.findIndex((loop) => loop.repeats);

// The positions of the loops around, as the keys of runs have them.
function keyOf(number) {
  const { around } = LOOPS[number];
  if (around < 0) return "";
  const outer = keyOf(around);
  return outer ? `${outer}.${positionIn(around)}` : String(positionIn(around));
}

const runOfLoop = (number) => (LAYER.runOfLoop ? LAYER.runOfLoop(number) : LOOPS[number].runs[keyOf(number)] || null);

function positionIn(number) {
  const run = runOfLoop(number);
  return run ? Math.min(iterationOf[number], run[0].length - 1) : 0;
}

// The row of a value inside a loop in the iteration that is shown; null if it was not computed there.
function valueInLoop(name) {
  const number = loopOfNode.get(name.replace(/:\d+$/, ""));
  if (number === undefined) return null;
  if (LAYER.rowInLoop) return LAYER.rowInLoop(name);
  const run = runOfLoop(number), rows = run && run[2][name];
  return rows ? rows[positionIn(number)] : null;
}

// Whether a node stands inside a branch or loop that did not compute it in this iteration.
function isIdleInLoop(id) {
  if (!loopOfNode.has(id)) return false;
  for (let index = 0; index < 8; index++) if (valueInLoop(`${id}:${index}`)) return false;
  return true;
}

// The lines of a box: types with the shapes of the iteration, and small values.
function paintIteration({ box, texts, lines, width }) {
  if (!LOOPS.length || !loopOfNode.has(box.id)) return;
  const card = cardOf(box), outputs = card ? card.outputs : [];
  texts.forEach((made, at) => {
    const index = outputs.findIndex(([dtype, size]) => lines[at] === `${dtype} ${size}`);
    if (index < 0) return;
    const row = state.values ? valueInLoop(`${box.id}:${index}`) : null;
    setText(made, row ? toldOfIteration(row, width) : lines[at]);
  });
}

// The value only where the box has room for it: boxes keep their width.
function toldOfIteration(row, width) {
  const found = summaryOf(row);
  if (!found || !found.size || found.size > 6) return row[0];
  const text = `${row[0]} = ${found.preview.replace(/\s+/g, " ")}`;
  return textWidth(text, DETAIL_SIZE) <= width - 4 ? text : row[0];
}

// ---- the bar ---------------------------------------------------------------------------------------------------

// The loop of a box: the innermost one that holds it, or that it stands for; -1 if there is none.
function loopOfBox(id) {
  const own = LOOPS.findIndex((loop) => loop.node === id && loop.repeats);
  if (own >= 0) return own;
  let number = loopOfNode.has(id) ? loopOfNode.get(id) : -1;
  while (number >= 0 && !LOOPS[number].repeats) number = LOOPS[number].around;
  return number;
}

// A loop as the drawing has it: where it is not drawn itself, with the box that holds it.
function nameOfLoop(node) {
  const box = view.byId.get(node), home = box && homeOf(box), name = `"${shorten(node, 40)}"`;
  return home && home.id !== node ? `${name} in the box ${shorten(home.label, 40)}` : name;
}

// Shows the slider of the loop that is looked at: that of the selected node, else of the step.
function showLoop() {
  const bar = document.getElementById("loopbar");
  if (loopInView < 0) return;
  const looked = state.selected ? loopOfBox(state.selected.id) : state.step ? loopOfBox(STEPS[state.step - 1][0]) : -1;
  const isDrawn = ({ node, repeats }) => repeats && placedById.has(node);
  if (looked >= 0) loopInView = looked;
  else if (!isDrawn(LOOPS[loopInView]) && LOOPS.some(isDrawn)) loopInView = LOOPS.findIndex(isDrawn);
  const loop = LOOPS[loopInView], run = runOfLoop(loopInView);
  const [kept, times] = run || [[], []], at = positionIn(loopInView);
  if (bar.hidden) buildLoopBar(bar);
  bar.hidden = false;
  const slider = document.getElementById("loop-slider");
  slider.max = Math.max(kept.length - 1, 0);
  slider.value = at;
  slider.disabled = kept.length < 2;
  const last = kept.length ? kept[kept.length - 1] : 0;
  const says = kept.length ? `iteration ${kept[at]} of ${nameOfLoop(loop.node)}${times ? ` took ${timeText(times[at])}` : ""}` : `${nameOfLoop(loop.node)} did not run`;
  const some = kept.length <= last ? `; ${kept.length} of ${last + 1} are kept` : "";
  document.getElementById("loop-count").textContent = kept.length ? `${kept[at]} / ${last}` : "";
  document.getElementById("loop-says").textContent = says + some;
  slider.setAttribute("aria-valuetext", says);
}

function buildLoopBar(bar) {
  const slider = element("input", { type: "range", id: "loop-slider", min: 0, max: 0, step: 1, value: 0,
    "aria-label": "Iteration of the loop", oninput: () => setIteration(Number(slider.value)) });
  bar.replaceChildren(element("span", { class: "lead" }, "Loop"), element("div", { class: "track" }, slider),
    element("span", { class: "count", id: "loop-count" }), element("span", { class: "says", id: "loop-says" }));
}

function setIteration(position) {
  const run = runOfLoop(loopInView), most = run ? run[0].length - 1 : 0;
  iterationOf[loopInView] = Math.min(Math.max(position, 0), Math.max(most, 0));
  if (LAYER.turned) LAYER.turned();
  else paint();
  tell();
}
