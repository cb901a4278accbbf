// What a play page adds to the page: the places where the scripts of every page ask for more.

Object.assign(LAYER, {
  roomOf,
  laysOut: chooseForm,
  drawBox: drawCells,
  painted: paintPlayed,
  isLater: isNotComputed,
  viewOfRun: () => VIEW_OF_PLAN.get(player.inUse),
  goesTo: (number) => { endFlow(); state.before = number <= 0; },
  stepBox: () => (state.step ? boxOfStep(state.step) : null),
  cardParts: playParts,
  told: paintMarks,
  attribute: attributeNow,
  overviewParts,
  buildRunBar: buildPlayRunBar,
  beginPlaying: beginPlay,
  showPlaying: showPlayed,
  pause: () => SPEEDS[speed],
  runOfLoop: playedLoop,
  rowInLoop: rowOfPlayed,
  turned: () => showValues(false),
  say: sayPlay,
  hear: hearPlay,
  heard: heardPlay,
  keys: {
    u: undoEdit, r: redoEdit, t: () => setAllTheWay(!allTheWay), x: () => runsDiffer && runOnce(), m: () => runsDiffer && runManyTimes(),
    "[": () => choosePlan("written"), "]": () => choosePlan("optimised"),
    ",": () => setStep(stepPosition() - 1), ".": () => setStep(Math.min(stepPosition() + 1, STEPS.length)),
  },
  keyRows: [["u  r", "take the last edit back, put it in again"], ["t", "where a cell comes from and goes: the next steps, or all the way"],
    ["x  m", `run again on the values of the variables, once or ${MANY_RUNS} times`], ["Enter", "edit the cell that has the focus, put the value in"]],
});

// Whether a box has no values yet at this step, or none in this iteration.
function isNotComputed(box) {
  if (box.faded || box.closed) return false;
  const names = valuesOfBox(box), k = stepNumberOf(box.id);
  if (k !== undefined && k < stepsShown() && player.frame.states[k] === "failed") return false;
  return names.length > 0 && names.every((name) => !shownTensor(name));
}

// After every change of what is shown: cells, marks, the states of steps.
function paintPlayed() {
  for (const [name, spot] of drawnCells) if (!spot.group.isConnected) drawnCells.delete(name);
  for (const spot of drawnCells.values()) showCells(spot);
  const { frame } = player, kinds = ["failed", "stale", "recorded"];
  for (const placed of layout.boxes) {
    const k = placed.box.closed ? undefined : stepNumberOf(placed.box.id);
    const kind = k === undefined || k >= stepsShown() ? "" : stateOfStep(k)[1];
    for (const each of kinds) placed.element.classList.toggle(each, each === kind);
    if (kind === "failed") placed.element.firstChild.textContent = `${placed.box.id}\n${frame.errors.get(k)}`;
    showConstantLines(placed);
  }
  showTables();
  paintMarks();
  lightEdges();
}

// Constants that are written in a box say their values of now.
function showConstantLines({ box, texts, lines }) {
  for (const { operand, line, name } of box.constants) {
    const at = lines.indexOf(shorten(line)), edited = editedText(name);
    if (at < 0 || (!edited && !texts[at].edited)) continue;
    texts[at].edited = Boolean(edited);
    setText(texts[at], edited ? shorten(`${operand} = ${edited}`) : lines[at]);
  }
}

// The value that the reader gave a constant; "" if it has its own.
function editedText(name) {
  const key = `${name}:0`, tensor = player.edited.has(key) ? player.feeds.get(key) : player.editedInner.has(key) ? player.inner.get(key) : null;
  if (!tensor) return "";
  return sizeOf(tensor) === 1 ? briefElement(tensor, 0, 12) : "edited";
}

function attributeNow(node, name, text) {
  return (name === "value" && editedText(node)) || text;
}

// The overview: what one can do here, what failed, what is fetched.
function overviewParts() {
  const { frame } = player, failed = [...frame.errors].map(([k, text]) => [frame.plan.steps[k], text]);
  const parts = failed.map(([{ node }, text]) => element("p", { class: "play-note failed" },
    view.byId.has(node) ? link(view.byId.get(node), actions.go, shorten(node, 60)) : element("b", {}, cut(node, 60)), `: ${text}`));
  tables = [];
  parts.push(element("p", { class: "play-note" }, "This page computes. Click a cell of a feed, a constant or a variable, type another value and press Enter; "
    + "point at a cell to see where it came from and where it goes."));
  const kept = DATA.play.variables.map(([name]) => placesOfPlan(player.inUse).has(`${name}:0`) ? `${name}:0` : null).filter(Boolean);
  const fed = DATA.play.feeds.map(([name]) => name).filter((name) => !DATA.play.constants.includes(name));
  parts.push(section("Fed", ...fed.slice(0, 6).filter(placeOfName).map((name) => tableOf(name, name, view.byId.get(name.replace(/:\d+$/, ""))))));
  parts.push(section("Variables", ...kept.slice(0, 6).map((name) => tableOf(name, name, view.byId.get(name.replace(/:\d+$/, ""))))));
  parts.push(section("Results", ...(fetchesNow || ASKED).filter((name) => placeOfName(name)).slice(0, 6).map((name) => tableOf(name, name, view.byId.get(name.replace(/:\d+$/, ""))))));
  parts.push(fetchList());
  return parts.filter(Boolean);
}
