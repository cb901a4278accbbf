// The address of what the page shows. It stands in the URL's fragment, so that a link shows the same and the browser goes
// back and forward between selections, openings, stages and colours:
//
//   run.html#step=12&at=setosa/low&open=setosa,virginica&colour=time
//
// Nothing in a fragment is trusted: a word that is not a key, or names nothing on the page, changes nothing.

const ADDRESS_KEYS = ["stage", "step", "at", "path", "open", "shut", "colour", "search", "follow", "values",
  "plan", "fetch", "edit", "cell", "around", "turn"]; // the last ones on a play page only
const PUSHED = ["stage", "at", "path", "open", "shut", "colour", "plan", "fetch", "edit"]; // a change of one of these is a new entry of the history
const LONGEST_ADDRESS = 4000, MOST_WRITES = 60, WRITES_WITHIN = 20000; // browsers refuse 100 writes in 30 s
const isFramed = window.parent !== window; // the history belongs to the page around the frame
let written = new Map(), seenHash = null, lateWrite = 0, isNoted = false, isQuiet = false, writeTimes = [];

// ---- writing ----------------------------------------------------------------------------------------------------

// A name in an address; a list keeps "," for itself. A half surrogate pair cannot be written: then "".
function encodeName(name, isListed = false) {
  try {
    const text = encodeURIComponent(name).replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%3D/g, "=").replace(/%20/g, "+").replace(/'/g, "%27");
    return isListed ? text : text.replace(/%2C/g, ",");
  } catch {
    return "";
  }
}

const encodeList = (names) => names.map((name) => encodeName(name, true)).filter(Boolean).join(",");

// What the page shows, as the parts of its address; what is as in the beginning is left out.
function addressNow() {
  const parts = new Map(), last = viewOfRun();
  const say = (key, text) => { if (text && text.length <= LONGEST_ADDRESS) parts.set(key, text); };
  if (state.view !== (state.step || DATA.play ? last : 0)) say("stage", encodeName(stageNow().name));
  if (state.step) say("step", String(state.step));
  if (state.selected) say("at", encodeName(state.selected.id));
  else if (state.scope) say("at", encodeName(`${state.scope.path}/`));
  if (state.path) say("path", encodeList([state.path[0].id, state.path[state.path.length - 1].id]));
  const known = scopesByPath(view), turned = [...openByPath].filter(([path, open]) => !known.has(path) || known.get(path).open !== open);
  say("open", encodeList(turned.filter(([, open]) => open).map(([path]) => path)));
  say("shut", encodeList([...new Set([...turned.filter(([, open]) => !open).map(([path]) => path), ...closedAroundNodes()])]));
  if (!state.follow) say("follow", "mark");
  if (!state.values) say("values", "static");
  if (state.colour !== (DATA.colour || "kind")) say("colour", state.colour);
  say("search", encodeName(search.value.trim()));
  if (LAYER.say) LAYER.say(say);
  return parts;
}

// A link opens what is around the selection and the step, unless it says that this is closed.
function closedAroundNodes() {
  const nodes = [...(state.selected ? [state.selected] : []), ...(state.follow ? nodesOfStep(state.step) : [])];
  return nodes.flatMap(scopesAround).filter((scope) => !isOpen(scope)).map((scope) => scope.path);
}

function scopesByPath(shown) {
  shown.byPath = shown.byPath || new Map(shown.scopes.slice(1).map((scope) => [scope.path, scope]));
  return shown.byPath;
}

const addressText = (parts) => [...parts].map(([key, value]) => `${key}=${value}`).join("&");

// Called at every change of what is shown. One gesture makes several changes, and playing many.
function noteAddress() {
  if (isFramed || isNoted || lateWrite) return;
  if (state.playing) lateWrite = setTimeout(writeAddress, 500);
  else {
    isNoted = true;
    queueMicrotask(writeAddress);
  }
}

// The next change replaces the entry of the history: the reader goes from hit to hit.
function replaceAddress() { isQuiet = true; }

function writeAddress() {
  const parts = addressNow(), text = addressText(parts), now = performance.now();
  const stepped = parts.has("step") !== written.has("step"), sameStep = parts.get("step") === written.get("step");
  const isNew = !isQuiet && (stepped || (sameStep && PUSHED.some((key) => parts.get(key) !== written.get(key))));
  lateWrite = 0;
  isNoted = isQuiet = false;
  if (text === addressText(written)) return;
  writeTimes = writeTimes.filter((time) => time > now - WRITES_WITHIN);
  if (writeTimes.length >= MOST_WRITES) { lateWrite = setTimeout(writeAddress, 1000); return; }
  writeTimes.push(now);
  written = parts;
  try {
    history[isNew ? "pushState" : "replaceState"](null, "", `#${text}`);
    seenHash = location.hash;
  } catch { /* a viewer without a history */ }
}

// ---- reading ----------------------------------------------------------------------------------------------------

function readAddress(text) {
  const said = new Map();
  for (const part of text.replace(/^#/, "").split("&")) {
    const [key, ...value] = part.split("=");
    if (ADDRESS_KEYS.includes(key) && !said.has(key)) said.set(key, value.join("="));
  }
  return said;
}

function decodeName(text = "") {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch {
    return "";
  }
}

const decodeList = (text = "") => text.split(",").map(decodeName).filter(Boolean);

// Shows what an address says, and where it says nothing, what the page shows at first.
function showAddress(text) {
  const said = readAddress(text), before = view;
  if (LAYER.hear) LAYER.hear(said);
  const last = viewOfRun();
  if (direction === "auto" && said.size) redraw(); // the page as it opens decides in which direction it is drawn
  const step = /^\d{1,9}$/.test(said.get("step")) ? Math.min(Number(said.get("step")), STEPS.length) : said.size ? 0 : FACTS.atStep || 0;
  const stage = said.has("stage") ? DATA.views.findIndex(({ name }) => name === decodeName(said.get("stage"))) : -1;
  const colour = decodeName(said.get("colour")), first = DATA.colour && MODES[DATA.colour].has() ? DATA.colour : "kind";
  Object.assign(state, { step, view: stage >= 0 ? stage : step || DATA.play ? last : 0, selected: null, scope: null, path: null, from: null,
    follow: said.get("follow") !== "mark", values: said.get("values") !== "static", colour: Object.hasOwn(MODES, colour) && MODES[colour].has() ? colour : first });
  colours.value = state.colour;
  showChoices();
  search.value = decodeName(said.get("search"));
  const shown = viewAt(state.view), known = scopesByPath(shown);
  stopPlaying();
  forgetPassing();
  openByPath.clear();
  openings++;
  selectNamed(shown, decodeName(said.get("at")), decodeList(said.get("path")));
  for (const path of decodeList(said.get("open"))) if (known.has(path)) setOpen(known.get(path), true);
  for (const path of decodeList(said.get("shut"))) if (known.has(path)) setOpen(known.get(path), false);
  hint("");
  redraw();
  if (state.follow && !said.has("shut")) openInPassing(nodesOfStep(state.step));
  showStage(state.view);
  showStep(state.step);
  hitsNow();
  closeResults();
  tell();
  if (LAYER.heard) LAYER.heard(said);
  if (view !== before) settle();
  lookAtSelection();
  clearTimeout(lateWrite);
  lateWrite = 0;
  written = addressNow();
}

function selectNamed(shown, name, ends) {
  const [from, to] = ends.map((end) => shown.byId.get(end));
  if (from && to) state.path = shortestPath(from, to) || shortestPath(to, from);
  else if (shown.byId.has(name)) state.selected = shown.byId.get(name);
  else state.scope = scopesByPath(shown).get(name.replace(/\/$/, "")) || null;
  const boxes = state.path || (state.selected ? [state.selected] : []);
  boxes.forEach(reveal);
  for (let outer = state.scope && state.scope.parent; outer && outer.parent; outer = outer.parent) setOpen(outer, true);
}

// Brings the selection, or else the step, into view.
function lookAtSelection() {
  const [lit] = litBoxes();
  if (state.path) center(homeOf(state.path[0]).id);
  else if (state.selected) center(homeOf(state.selected).id);
  else if (state.scope) center(`${state.scope.path}/`);
  else if (lit) center(lit.id);
}

function followAddress() {
  if (location.hash === seenHash) return;
  seenHash = location.hash;
  showAddress(location.hash);
}
