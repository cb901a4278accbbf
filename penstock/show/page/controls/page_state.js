// The state of the page, how it is drawn, and the actions that change it.

const FAR = 0.42; // below this scale small text is left out
const TINY = 0.2; // below this scale all text is left out
const state = { view: 0, colour: "kind", selected: null, scope: null, path: null, from: null, step: 0, playing: false, follow: true, values: true, x: 0, y: 0, k: 1 };
let direction = DATA.direction;
let view = null, picture = null, layout = null, placedById = new Map(), lastSteps = null, drawnAt = -1;

const stageNow = () => DATA.views[state.view];
const homeOf = (box) => picture.homes[box.number];

// ---- drawing ---------------------------------------------------------------------------------------------------

// Lays out and draws what is in view. With an `anchor` it keeps the arrangement, and the title of the box or scope with this
// id its place on the screen. Stages that share a drawing share its layout too.
function redraw(anchor) {
  const before = anchor && titleOf(anchor), shown = viewAt(state.view);
  if (shown !== view || drawnAt !== openings) {
    const like = anchor && shown === view ? layout : null;
    view = shown;
    drawnAt = openings;
    ({ picture, layout } = arrangedView(view, like));
    if (!like && !view.isFitted) closeSome();
    // What is opened or closed does not turn the picture.
    direction = document.documentElement.dataset.direction = layout.direction;
    placedById = new Map(layout.boxes.map((placed) => [placed.box.id, placed]));
    lastSteps = null;
    homesOfNames.clear();
    drawMap();
  }
  const faded = stageNow().faded, grey = countByHome(Object.keys(faded));
  for (const box of picture.boxes) {
    box.fate = faded[box.id];
    box.faded = box.kind === "pruned" || Boolean(box.fate) || (box.closed && (grey.get(box) || 0) === sizeOfScope(box.closed));
  }
  drawLayout(layout, badgeOf);
  paint();
  const after = anchor && titleOf(anchor);
  if (before && after) pan((before[0] - after[0]) * state.k, (before[1] - after[1]) * state.k);
}

// A view opens with fewer scopes open where it could not be read in this window, or where lines climb.
const FEWEST = 8, CLIMBING = 0.2, NEARLY = 0.75; // so few boxes say less than a part of more; of what fits nearly, most is in view

function closeSome() {
  view.isFitted = true;
  if (narrow.matches) return;
  let best = fitness(), since = []; // what was closed after the best
  for (const numbers of view.fewer) {
    if (best >= NEARLY || numbers.some((number) => openByPath.has(view.scopes[number].path))) break;
    for (const number of numbers) view.scopes[number].open = false;
    ({ picture, layout } = arrangedView(view, null));
    if (picture.boxes.length >= FEWEST && fitness() > best) {
      best = fitness();
      since = [];
    } else since.push(...numbers);
  }
  if (!since.length) return;
  for (const number of since) view.scopes[number].open = true;
  ({ picture, layout } = arrangedView(view, null));
}

// The scale at which the whole picture is in the window, less where lines climb from column to column.
const fitness = () => Math.min(...scales()) / (1 + CLIMBING * climbing());

function climbing() {
  const axis = layout.direction === "right" ? 0 : 1, found = new Set();
  for (const { points } of layout.arrows)
    for (let at = 1; at < points.length; at++)
      if (points[at][axis] < points[at - 1][axis] && points[points.length - 1][axis] > points[0][axis]) found.add(`${points[at]} ${points[at - 1]}`);
  return found.size;
}

// The number of the named nodes in each box in view; constants that are written in boxes are not counted.
function countByHome(names) {
  const counts = new Map();
  for (const name of names) {
    const box = view.byId.get(name), home = box && box.id === name && homeOf(box);
    if (home) counts.set(home, (counts.get(home) || 0) + 1);
  }
  return counts;
}

// The middle of the title of a box, or of an open scope by its path with a slash behind it.
function titleOf(id) {
  const box = placedById.get(id), frame = box || !layout ? null : layout.scopes.find((each) => `${each.scope.origin.path}/` === id);
  if (box) return [box.x + box.width / 2, box.y + titleDrop(box)];
  return frame ? [frame.x + TITLE_INSET + textWidth(scopeTitle(frame.scope), LABEL_SIZE) / 2, frame.y + TITLE_DROP] : null;
}

function badgeOf(box) {
  const ordered = ["order", "memory"].includes(stageNow().name) || state.colour === "order";
  return ordered && !box.closed && stepOf.has(box.id) ? String(stepOf.get(box.id).number + 1) : "";
}

// Colours and marks: changes that do not move anything.
function paint() {
  const legend = tintBoxes(picture.boxes, state.colour, view);
  const stage = stageNow(), made = homesOf(stage.new), changed = homesOf(stage.changed), edited = homesOf(EDITED);
  const lit = litBoxes(), done = doneBoxes(), onPath = state.path && new Set(state.path.map(homeOf));
  const chosen = state.selected && homeOf(state.selected), found = boxesOfHits();
  for (const placed of layout.boxes) {
    const { box } = placed;
    paintBox(placed, {
      new: made.has(box), changed: changed.has(box) || edited.has(box), lit: lit.has(box), later: LAYER.isLater ? LAYER.isLater(box) : (state.step && !lit.has(box) && !done.has(box)) || (!state.step && !box.closed && isIdleInLoop(box.id)),
      selected: box === chosen || (state.scope && box.closed === state.scope), onpath: onPath && onPath.has(box),
      dim: onPath && !onPath.has(box), found: found.has(box) });
  }
  const hasRun = (box) => state.values && !box.faded && (!state.step || lit.has(box) || done.has(box));
  for (const placed of layout.boxes) { paintLines(placed, hasRun(placed.box)); paintIteration(placed); }
  for (const placed of layout.arrows) paintLabel(placed, hasRun(placed.arrow.source));
  const hops = new Set();
  if (state.path) state.path.forEach((box, at) => at && hops.add(`${state.path[at - 1].number} ${box.number}`));
  for (const placed of layout.arrows) {
    const { arrow } = placed, along = arrow.merged.some((each) => hops.has(`${each.source.number} ${each.target.number}`));
    const near = !state.path && chosen && (arrow.source === chosen || arrow.target === chosen);
    paintArrow(placed, along || near, state.path && !along);
  }
  for (const { element: made, scope } of layout.scopes) {
    made.classList.toggle("selected", scope.origin === state.scope);
    made.classList.toggle("hue", sharesColour(scope.origin));
  }
  const marks = [made.size && ["new", "new at this stage"], changed.size && ["changed", "changed at this stage"],
    edited.size && ["changed", "depends on a value that was set by hand"],
    state.step && ["lit", "runs at this step"], state.step && state.step < STEPS.length && ["later", "has not run yet"], ...["control", "write", "loop"].map((kind) => picture.arrows.some((arrow) => arrow.kind === kind) && [kind, MARK_WORDS[kind]])];
  drawLegend(legend, marks.filter(Boolean));
  showLoop();
  if (LAYER.painted) LAYER.painted();
  noteAddress();
}

const homesOfNames = new Map();
const EDITED = (FACTS.edited || []).map((name) => [name.replace(/:\d+$/, "")]); // of a debugged run

// The boxes in view that hold a node of a stage's list, or in which one is written.
function homesOf(list) {
  if (!homesOfNames.has(list)) {
    const homes = new Set(countByHome(list.map(([name]) => name)).keys());
    for (const [name] of list) for (const box of view.readers.get(name) || []) homes.add(homeOf(box));
    homesOfNames.set(list, homes);
  }
  return homesOfNames.get(list);
}

// The nodes of a step in this view: one, or where it is not drawn the members of its group.
function nodesOfStep(number) {
  if (!number) return [];
  const [, members] = FACTS.plan[number - 1], found = boxOfStep(number);
  return found ? [found] : members.map((name) => view.byId.get(name)).filter(Boolean);
}

const boxesOfStep = (number) => nodesOfStep(number).map(homeOf);

const litBoxes = () => new Set(state.step ? boxesOfStep(state.step) : []);

// The boxes that are complete before the step, feeds and constants included.
function doneBoxes() {
  if (!state.step) return new Set();
  lastSteps = lastSteps || lastStepOfBoxes();
  return new Set(picture.boxes.filter((box) => !box.faded && (lastSteps.get(box) || 0) <= state.step));
}

// The last step of each box, computed once for each drawing: a run may have 100,000 steps.
function lastStepOfBoxes() {
  const last = new Map();
  for (let number = 1; number <= STEPS.length; number++) for (const box of boxesOfStep(number)) last.set(box, number);
  return last;
}

// ---- choosing --------------------------------------------------------------------------------------------------

const actions = {
  go: (box) => select(view.byId.get(box.id) || box),
  scope: (scope) => selectScope(scope),
  toggle: (scope) => toggle(scope),
  close: (scope) => toggle(scope, false),
  pathFrom: (box) => { state.from = box; hint(`Path from ${shorten(box.id, 200)}: choose the other end, or press Esc.`); },
  clear: () => letGo(),
};

function select(box, byReader = true) {
  if (state.from) return showPath(state.from, box);
  if (byReader) touchScopes(box.home);
  if (reveal(box)) redraw(homeOf(box).id);
  Object.assign(state, { selected: box, scope: null, path: null });
  paint();
  tell();
  center(homeOf(box).id);
}

function selectScope(scope) {
  for (let outer = scope.parent; outer && outer.parent; outer = outer.parent) setOpen(outer, true);
  touchScopes(scope);
  Object.assign(state, { selected: null, scope, path: null });
  redraw(`${scope.path}/`);
  tell();
  center(`${scope.path}/`);
}

function toggle(scope, open = !isOpen(scope)) {
  const id = closedIdOf(scope), before = placesOf(layout);
  setOpen(scope, open);
  touchScopes(scope);
  Object.assign(state, { selected: null, scope, path: null });
  redraw(id);
  tell();
  moveFrom(before, layout);
}

// A scope keeps the place of its title when it is opened or closed.
const closedIdOf = (scope) => (picture.boxes.find((box) => box.closed === scope) || { id: `${scope.path}/` }).id;

function tell() {
  const stage = stageNow();
  panel.hidden = false;
  if (state.path) pathCard(state.path[0], state.path[state.path.length - 1], state.path, actions);
  else if (state.selected) nodeCard(state.selected, view, stage, actions);
  else if (state.scope) scopeCard(state.scope, actions);
  else if (state.step && LAYER.stepBox && LAYER.stepBox()) nodeCard(LAYER.stepBox(), view, stage, actions);
  else if (state.step) stepCard(state.step, actions);
  else overviewCard(view, stage, actions);
  if (LAYER.told) LAYER.told();
}

function letGo() {
  Object.assign(state, { selected: null, scope: null, path: null, from: null });
  hint("");
  closeResults();
  paint();
  tell();
}

function hint(text) {
  const box = document.getElementById("hint");
  box.textContent = text;
  box.hidden = !text;
}

function showPath(from, to) {
  const path = shortestPath(from, to) || shortestPath(to, from);
  state.from = null;
  hint("");
  state.selected = null;
  state.path = path;
  for (const box of path || []) touchScopes(box.home);
  if (path && path.map(reveal).some(Boolean)) redraw();
  paint();
  panel.hidden = false;
  pathCard(path ? path[0] : from, path ? path[path.length - 1] : to, path, actions);
  if (path) center(homeOf(path[0]).id);
}

function shortestPath(from, to) {
  const before = new Map([[from, null]]), waiting = [from];
  for (let at = 0; at < waiting.length && !before.has(to); at++)
    for (const arrow of waiting[at].consumers)
      if (!before.has(arrow.target)) { before.set(arrow.target, waiting[at]); waiting.push(arrow.target); }
  if (!before.has(to)) return null;
  const path = [];
  for (let box = to; box; box = before.get(box)) path.unshift(box);
  return path;
}

// A click on an edge selects its other end if one end is selected; otherwise the panel shows the edge.
function followArrow(arrow) {
  const chosen = state.selected && homeOf(state.selected);
  const other = chosen === arrow.source ? arrow.target : chosen === arrow.target ? arrow.source : null;
  if (other) return other.closed ? selectScope(other.closed) : select(other.origin);
  Object.assign(state, { selected: null, scope: null, path: null });
  paint();
  panel.hidden = false;
  arrowCard(arrow, actions);
  const placed = layout.arrows.find((each) => each.arrow === arrow);
  paintArrow(placed, true, false);
}

// ---- stages, steps, colours -------------------------------------------------------------------------------------

function setStage(number) {
  number = Math.min(Math.max(number, 0), DATA.views.length - 1);
  const name = state.selected && state.selected.id, same = viewAt(number) === view, before = state.view;
  state.view = number;
  const found = name ? viewAt(number).byId.get(name) || null : null;
  Object.assign(state, { path: null, scope: null, selected: found });
  if (number !== before) redraw(found ? found.id : undefined);
  if (!found && !same) settle();
  state.selected = null; // the panel first shows the changes of the stage
  tell();
  state.selected = found;
  showStage(number);
}

// The view in which steps are followed.
const viewOfRun = () => (LAYER.viewOfRun ? LAYER.viewOfRun() : DATA.views.length - 1);

function setStep(number) {
  if (LAYER.goesTo) LAYER.goesTo(number);
  state.step = Math.min(Math.max(number, 0), STEPS.length);
  const last = viewOfRun();
  Object.assign(state, { selected: null, scope: null, path: null });
  if (state.step && state.view !== last) setStage(last);
  const before = placesOf(layout), [node] = nodesOfStep(state.step), seen = node && before.rects.get(drawnAs(node));
  keepsEveryOrder = true;
  const moved = followStep();
  keepsEveryOrder = false;
  if (!moved) paint();
  showStep(state.step);
  tell();
  const panned = node && keepUnderEye(homeOf(node).id, moved && seen ? middleOf(seen) : null);
  if ((moved || panned) && !(state.playing && stepPause() < 2 * MOVE_MS)) moveFrom(before, layout);
}

function openMore(open) {
  const scopes = view.scopes.slice(1), shown = scopes.filter((scope) => isOpen(scope.parent) && allOpen(scope.parent));
  const some = open ? shown.filter((scope) => !isOpen(scope)) : deepest(shown.filter(isOpen));
  for (const scope of some) {
    setOpen(scope, open);
    touchScopes(scope);
  }
  if (!some.length) return;
  redraw();
  settle();
}

const allOpen = (scope) => !scope.parent || (isOpen(scope) && allOpen(scope.parent));

function deepest(scopes) {
  const depth = Math.max(...scopes.map((scope) => scope.depth));
  return scopes.filter((scope) => scope.depth === depth);
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.getElementById("theme").textContent = dark ? "Light" : "Dark";
}

const isDark = () => document.documentElement.dataset.theme === "dark";
