// How a change flows: its values appear step by step along the edges, in the order in which they are computed. Where
// motion is not wanted everything appears at once.

let flow = null; // {old: Map(slot -> tensor), waves: [[slots]], at, timer}; the slots that wait show their old values
let lastChange = { count: 0, texts: [] };
const SPEEDS = { slow: 900, normal: 350, fast: 120 }; // milliseconds for a wave of an edit, and for a step of playing
let speed = "normal";

const oldTensor = (place) => (flow && !place.way.length && flow.old.has(place.slot) ? flow.old.get(place.slot) : undefined);

function isWaiting(name) {
  const place = flow && placeOfName(name);
  return Boolean(place && !place.way.length && flow.old.has(place.slot));
}

// Shows what `compute` has done: marks the cells that changed, and lets them appear.
function showComputed(before, report) {
  endFlow();
  if (player.inUse !== before.inUse) usePlan();
  const names = DATA.play.names[player.inUse];
  changedNames = new Map();
  if (report.isNew || player.inUse !== before.inUse) {
    lastChange = { count: 0, texts: [] };
    return showValues(true);
  }
  for (const [slot, cells] of report.changed) if (names[slot]) changedNames.set(names[slot], cells === null ? null : new Set(cells));
  lastChange = { count: report.changed.size, texts: textsOfChange(report) };
  announce(summaryOfChange());
  if (!stillWanted.matches && !state.playing && !state.step && !report.isRun && report.changed.size) beginFlow(before, report);
  showValues(false);
}

// "add/0: 3 cells changed", the fetches first, at most three.
function textsOfChange({ changed }) {
  const { plan } = player.frame, names = DATA.play.names[player.inUse], order = [...changed.keys()].sort((a, b) => plan.fetches.includes(b) - plan.fetches.includes(a));
  return order.filter((slot) => names[slot]).map((slot) => {
    const cells = changed.get(slot);
    return `${shorten(names[slot], 40)}: ${cells === null ? "computed anew" : `${cells.length} cell${cells.length === 1 ? "" : "s"} changed`}`;
  });
}

function summaryOfChange() {
  const { count, texts } = lastChange, failed = [...player.frame.errors].map(([k, text]) => `${player.frame.plan.steps[k].node} failed: ${text}`);
  const some = texts.slice(0, 3).join("; ") + (texts.length > 3 ? `; ${texts.length - 3} more values changed` : "");
  return [failed.join("; "), count ? some : "nothing changed"].filter(Boolean).join(". ");
}

// The changed slots in waves: what was edited, then what reads it, and so on.
function beginFlow(before, report) {
  const { plan } = player.frame, depth = new Map(), waves = [];
  for (const slot of report.changed.keys()) if (producersOf(plan)[slot] === undefined) depth.set(slot, 0);
  for (const k of report.ran) {
    const reached = Math.max(0, ...readsOf(plan.steps[k]).map((slot) => (depth.has(slot) ? depth.get(slot) : -1))) + 1;
    for (const slot of plan.steps[k].out) if (report.changed.has(slot)) depth.set(slot, reached);
  }
  for (const [slot, level] of depth) (waves[level] = waves[level] || []).push(slot);
  const later = waves.filter(Boolean).slice(1);
  if (!later.length) return;
  flow = { old: new Map(later.flat().map((slot) => [slot, before.values[slot] || null])), waves: later, at: 0, timer: 0 };
  flow.timer = setTimeout(nextWave, SPEEDS[speed] / 2);
}

function nextWave() {
  if (!flow) return;
  for (const slot of flow.waves[flow.at]) flow.old.delete(slot);
  flow.at += 1;
  if (flow.at >= flow.waves.length) flow = null;
  else flow.timer = setTimeout(nextWave, Math.min(SPEEDS[speed], 2500 / flow.waves.length));
  showValues(false);
}

// A new edit, a step or another plan ends the flow: everything appears.
function endFlow() {
  if (!flow) return;
  clearTimeout(flow.timer);
  flow = null;
}

// The edges along which the next values come are lit; painting the drawing ends with this.
function lightEdges() {
  const slots = flow ? flow.waves[flow.at] : [], names = DATA.play.names[player.inUse], coming = new Set(slots.map((slot) => names[slot]).filter(Boolean));
  const targets = new Set([...coming].map((name) => boxOfPlayed(name)).filter(Boolean));
  for (const placed of layout.arrows) {
    const flows = targets.has(placed.arrow.target) && placed.arrow.tensors.some((name) => changedNames.has(name));
    placed.element.classList.toggle("flows", flows);
  }
}

// The box in view of a value; of one in a closed scope that scope's.
function boxOfPlayed(name) {
  const box = view.byId.get(name.replace(/:\d+$/, "")) || view.byId.get(name);
  return box ? homeOf(box) : null;
}
