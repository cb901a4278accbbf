// The bars below the drawing: steps with play, pause, back and step; edits; the plan that runs; a line about a cell.

const playBar = element("div", { id: "playbar", role: "toolbar", "aria-label": "Edits and plan" });
const failedSays = element("p", { id: "play-failed", hidden: true });
let barParts = {};

// The bar of steps: 0 is before the first step, the last position shows everything.
function buildPlayRunBar(onStep) {
  const bar = document.getElementById("runbar");
  const slider = element("input", { type: "range", id: "run-slider", min: 0, max: STEPS.length, step: 1, value: STEPS.length,
    "aria-label": "Step of the run", oninput: () => onStep(Number(slider.value)) });
  const button = (id, text, title, does) => element("button", { id, title, "aria-label": title, onclick: does }, text);
  const count = element("span", { class: "count" }), says = element("span", { class: "says" });
  const pace = element("select", { id: "speed", "aria-label": "Speed", onchange: () => { speed = pace.value; } },
    ...Object.keys(SPEEDS).map((name) => element("option", { value: name, selected: name === speed }, name)));
  bar.replaceChildren(element("span", { class: "lead" }, "Steps"), element("button", { id: "play", title: "Step by step (space)", onclick: () => playOrStop() }, "Play"),
    element("span", { class: "buttons" }, button("step-back", "\u2039", "Back one step (,)", () => onStep(stepPosition() - 1)), button("step-on", "\u203a", "One step on (.)", () => onStep(stepPosition() + 1))),
    element("div", { class: "track" }, slider), element("label", { class: "choice speed" }, "Speed ", pace), runsDiffer ? curveChart() : "", count, says);
  bar.hidden = STEPS.length === 0;
  document.getElementById("steps").hidden = false;
  barParts = { slider, count, says };
  buildPlayBar();
  return showStepBar;
}

const stepPosition = () => (state.step ? state.step : state.before ? 0 : STEPS.length);

function showStepBar() {
  const { slider, count, says } = barParts, at = stepPosition();
  slider.max = STEPS.length;
  slider.value = at;
  document.getElementById("runbar").hidden = STEPS.length === 0;
  count.textContent = `${at} / ${STEPS.length}`;
  const text = state.step ? saysOfStep(state.step) : state.before ? "nothing is computed yet" : saysOfAll();
  says.textContent = text;
  slider.setAttribute("aria-valuetext", text);
  document.getElementById("step-back").disabled = at === 0;
  document.getElementById("step-on").disabled = at === STEPS.length;
}

// How many steps have values, and why the others have none.
function saysOfAll() {
  const { states, errors, plan } = player.frame, count = (...kinds) => states.filter((each) => kinds.includes(each)).length, all = STEPS.length;
  const done = count("done"), recorded = count("recorded"), stale = count("stale"), [failed] = errors.keys();
  const parts = [done === all ? `all ${all} steps are computed` : `${done} of ${all} steps are computed`];
  if (recorded) parts.push(`${recorded} recorded by Python`);
  if (stale) parts.push(`${stale} recorded and not recomputed`);
  if (failed !== undefined) parts.push(`${shorten(plan.steps[failed].node, 40)} failed`);
  else if (done + recorded + stale < all) parts.push("the fetches need no more");
  return parts.join("; ");
}

function saysOfStep(number) {
  const { node, op: planned } = player.frame.plan.steps[number - 1], [told] = stateOfStep(number - 1);
  const op = view.byId.has(node) ? view.byId.get(node).type : planned; // as its card says
  return `step ${number} of ${STEPS.length}: ${op} "${shorten(node, 40)}"${told ? `: ${shorten(told, 90)}` : ""}`;
}

// ---- edits, plan, runs ------------------------------------------------------------------------------------------

function buildPlayBar() {
  const button = (id, text, title, does) => element("button", { id, title, onclick: does }, text);
  const radio = (value, text, title) => element("label", { class: "choice", title }, element("input", { type: "radio", name: "plan", value, checked: player.plan === value, onchange: () => choosePlan(value) }), text);
  const all = element("input", { type: "checkbox", id: "all-the-way", onchange: () => setAllTheWay(all.checked) });
  playBar.replaceChildren(element("span", { class: "lead" }, "Edits"),
    element("span", { class: "buttons" }, button("undo", "Undo", "Take the last edit back (u)", undoEdit), button("redo", "Redo", "Put it in again (r)", redoEdit),
      button("reset", "Reset", "Take all edits back, and the runs", resetEdits)),
    runsDiffer ? button("run-again", "Run again", "Run once more: on the values that the variables have now, with the next random numbers (x)", runOnce) : "",
    runsDiffer ? button("run-many", `Run ${MANY_RUNS} times`, `Run ${MANY_RUNS} times more, and draw what is fetched (m)`, runManyTimes) : "",
    runsDiffer ? element("span", { class: "choice", id: "run-count" }) : "",
    element("fieldset", { class: "plans" }, element("legend", { class: "unseen" }, "Plan"), radio("written", "as written", "Every node is a step"),
      radio("optimised", "optimised", "The plan that a run follows: folded, merged, fused")),
    element("label", { class: "choice", title: "A cell shows where it comes from and goes through all steps, not only the next (t)" }, all, "all the way"),
    button("copy-link", "Copy link", "A link to this page with these edits, at this step", copyLink));
  const footer = document.getElementById("steps");
  footer.prepend(failedSays, cellSays, playBar);
}

function showPlayBar() {
  const set = (id, isOff) => { const made = document.getElementById(id); if (made) made.disabled = isOff; };
  set("undo", !moments.length);
  set("redo", !later.length);
  set("reset", !edits.length && !player.runs);
  showCurve();
  const failed = [...player.frame.errors].map(([k, text]) => [player.frame.plan.steps[k].node, text])[0];
  failedSays.hidden = !failed;
  const box = failed && (view.byId.get(failed[0]) || null);
  if (failed) failedSays.replaceChildren(box ? link(box, actions.go, shorten(failed[0], 60)) : failed[0], ` failed: ${shorten(failed[1], 400)}`);
  for (const made of playBar.querySelectorAll("input[name=plan]")) made.checked = made.value === player.plan;
}

// ---- playing ----------------------------------------------------------------------------------------------------

// Playing begins before the first step if everything is shown.
function beginPlay() {
  endFlow();
  if (stepPosition() >= STEPS.length) setStep(0);
}

function showPlayed() {
  document.documentElement.classList.toggle("playing", state.playing);
}

// ---- showing everything -----------------------------------------------------------------------------------------

// The steps and loops of another plan take the place of those that were shown.
function usePlan() {
  const { plan } = player.frame, names = DATA.play.names[player.inUse], named = (slots) => slots.map((slot) => names[slot]).filter(Boolean);
  FACTS.plan = plan.steps.map((step) => [step.node, membersOf(step), "cpu", named(readsOf(step)), named(step.out), named(step.frees || []), step.op]);
  STEPS.splice(0, STEPS.length, ...FACTS.plan.map(([node, , device, , , , op]) => [node, op, device, null, null, null, null, ""]));
  readSteps();
  readLoops();
  state.step = Math.min(state.step, STEPS.length);
}

const membersOf = (step) => {
  const group = step.args.find((arg) => "body" in arg);
  return group ? group.body.instructions.map(({ node }) => node) : [];
};

// The box that keeps its place where values need more room: what is selected or runs, else what stands in the middle.
function idUnderEye() {
  const box = (state.selected && homeOf(state.selected)) || (chosenCell && boxOfPlayed(chosenCell.name)) || litBoxes().values().next().value;
  if (box) return box.id;
  const far = ({ x, y, width, height }) => Math.hypot((x + width / 2) * state.k + state.x - canvas.clientWidth / 2, (y + height / 2) * state.k + state.y - canvas.clientHeight / 2);
  return layout.boxes.reduce((best, placed) => (far(placed) < far(best) ? placed : best)).box.id;
}

// Shows the values of the frame: in the drawing, in the card, in the bars. `isNew`: the plan or the fetches changed.
function showValues(isNew) {
  const number = VIEW_OF_PLAN.get(player.inUse);
  if (isNew || state.view !== number) {
    const name = state.selected && state.selected.id;
    fadeUnneeded();
    state.view = number;
    state.selected = name ? viewAt(number).byId.get(name) || null : null;
    drawnCells.clear();
    redraw();
    tell();
  } else if (needsRoom()) {
    const before = placesOf(layout);
    drawnAt = -1;
    redraw(idUnderEye());
    moveFrom(before, layout);
    showTables();
  } else {
    for (const spot of drawnCells.values()) showCells(spot);
    showTables();
    paint();
  }
  showStepBar();
  showPlayBar();
}
