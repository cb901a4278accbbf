// The data of the page as objects, and the picture in view: a closed scope is one box, and the arrows at its border are
// merged as in arrow_bundles.py.

const DATA = JSON.parse(document.getElementById("data").textContent);
const TEXTS = DATA.texts;
const LAYER = {}; // what a play page adds to drawing, cards, steps and addresses (see play/play_layer.js); empty on other pages
const openByPath = new Map(); // scopes the reader opened or closed, for all stages alike
let openings = 0; // the number of changes

// The views, each made on first use: a page of many stages opens as quickly as a page of one.
const ARROWS = ["data", "control", "write", "loop"];
const views = new Array(DATA.views.length).fill(null);

function viewAt(number) {
  const raw = DATA.views[number];
  if (raw.same !== undefined) return viewAt(raw.same);
  if (!views[number]) views[number] = makeView(raw);
  return views[number];
}

function makeView(raw) {
  const scopes = raw.scopes.map(([, label, path, kind, holds, types, open, hue, rank, face, of], number) =>
    // `rank` is the position in program order: the number of a box, and of a scope's first box.
    ({ number, rank, label, path, kind, holds, types, open: open === 1, hue, face: face && faceOf(face), of: of || [], boxes: [], inner: [] }));
  raw.scopes.forEach(([parent], number) => {
    const scope = scopes[number];
    scope.parent = parent < 0 ? null : scopes[parent];
    scope.depth = parent < 0 ? 0 : scope.parent.depth + 1;
    if (scope.parent) scope.parent.inner.push(scope);
  });
  const ran = raw.ran || {}, boxes = raw.boxes.map(([id, label, kind, type, detail, scope, paint, card, constants], number) => ({
    number, rank: number, id, label, kind, type: TEXTS[type], detail: detail.map((n) => TEXTS[n]), home: scopes[scope], paint, card,
    constants: constants.map(([operand, line, name, itsCard]) => ({ operand: TEXTS[operand], line: TEXTS[line], name, card: itsCard })),
    ran: ran[number] ? ran[number].map((n) => TEXTS[n]) : null })); // in the recorded run, in place of the detail
  // A constant that is written in the boxes of its readers is found in the first of them.
  const byId = new Map(), readers = new Map();
  for (const box of boxes)
    for (const { name } of box.constants) {
      if (!readers.has(name)) { readers.set(name, []); byId.set(name, box); }
      readers.get(name).push(box);
    }
  for (const box of boxes) { box.home.boxes.push(box); byId.set(box.id, box); }
  const arrows = raw.arrows.map(([source, target, label, control, tensors, slot, type]) => ({
    source: boxes[source], target: boxes[target], label: TEXTS[label], type: TEXTS[type], kind: ARROWS[control], slot,
    tensors: Array.isArray(tensors) ? tensors : [`${boxes[source].id}:${tensors}`] }));
  for (const box of boxes) { box.inputs = []; box.consumers = []; }
  for (const arrow of arrows) { arrow.source.consumers.push(arrow); arrow.target.inputs.push(arrow); }
  const told = new Map(Object.entries(raw.told || {}));
  return { scopes, boxes, arrows, told, byId, readers, legend: raw.legend, fewer: raw.fewer || [], ids: new Set(boxes.map((box) => box.id)) };
}

// What a closed scope of a variable, or of an update, is drawn as. `box`: the number of the box that it looks like.
function faceOf([label, kind, type, detail, box, quiet]) {
  return { label, kind, type: TEXTS[type], detail: detail.map((n) => TEXTS[n]), box, quiet: quiet === 1 };
}

function isOpen(scope) {
  if (!scope.parent) return true;
  return openByPath.has(scope.path) ? openByPath.get(scope.path) : scope.open;
}

function setOpen(scope, open) {
  openByPath.set(scope.path, open);
  openings++;
}

// The number of nodes in a scope at any depth.
function sizeOfScope(scope) {
  if (scope.size === undefined) scope.size = scope.inner.reduce((sum, inner) => sum + sizeOfScope(inner), scope.boxes.length);
  return scope.size;
}

// The picture in view: boxes (some of them closed scopes, then `closed` is set), open scopes, merged arrows.
function visiblePicture(view) {
  const boxes = [], scopes = [], homes = new Array(view.boxes.length), taken = new Set(view.ids);
  const walk = (scope, parent) => {
    const shown = { origin: scope, label: scope.label, parent, depth: parent ? parent.depth + 1 : 0 };
    scopes.push(shown);
    for (const box of scope.boxes) {
      const seen = { ...box, scope: shown, origin: box };
      boxes.push(seen);
      homes[box.number] = seen;
    }
    for (const inner of scope.inner) {
      if (isOpen(inner)) walk(inner, shown);
      else boxes.push(closedBox(inner, shown, homes, taken));
    }
  };
  walk(view.scopes[0], null);
  boxes.sort((a, b) => a.rank - b.rank);
  return { boxes, scopes, arrows: withoutKeptValues(boxes, mergeArrows(view, homes), homes), homes };
}

// The arrows without most of those into closed scopes of gradients, whose boxes say how many values they read: as
// kept_values.py does.
const FEW_KEPT = 4;

function withoutKeptValues(boxes, arrows, homes) {
  const begins = new Map(boxes.filter(({ closed }) => closed && closed.of.length).map((box) => [box, box.closed.of.map((number) => homes[number]).filter((home) => home !== box)]));
  const joined = new Set(arrows.map(({ source, target }) => `${source.id}\u0001${target.id}`));
  for (const [target, sources] of begins)
    for (const source of new Set(sources))
      if (!joined.has(`${source.id}\u0001${target.id}`)) arrows = [...arrows, { source, target, kind: "data", label: "", type: "", tensors: [], slot: 0, merged: [], ran: "" }];
  for (const box of boxes) {
    if (!box.closed || !box.closed.inner.some(({ label }) => label.endsWith("_grad"))) continue;
    const into = arrows.filter(({ target, kind }) => target === box && kind === "data");
    if (into.length <= FEW_KEPT) continue;
    const depths = depthsOf(boxes, arrows.filter(({ source, target, kind }) => kind === "data" && source !== box && target !== box));
    const isFirst = ({ source }) => ((begins.get(box) || []).includes(source) ? 1 : 0);
    const last = into.reduce((best, each) => (isFirst(each) - isFirst(best) || depths.get(each.source) - depths.get(best.source) || each.source.rank - best.source.rank) > 0 ? each : best);
    const leftOut = new Set(into.filter((each) => each !== last && arrows.filter(({ source, kind }) => source === each.source && kind === "data").length > 1));
    const values = new Set([...leftOut].flatMap(({ tensors }) => tensors));
    box.detail = [...box.detail, `reads ${values.size} more values`];
    arrows = arrows.filter((each) => !leftOut.has(each));
  }
  return arrows.sort(compareArrows);
}

// How many arrows lead to each box, at most.
function depthsOf(boxes, arrows) {
  const depths = new Map(boxes.map((box) => [box, 0]));
  for (let round = 0, changed = true; changed && round < boxes.length; round++) {
    changed = false;
    for (const { source, target } of arrows)
      if (depths.get(target) <= depths.get(source)) { depths.set(target, depths.get(source) + 1); changed = true; }
  }
  return depths;
}

function closedBox(scope, parent, homes, taken) {
  let id = `${scope.path}/`;
  while (taken.has(id)) id += "/";
  taken.add(id);
  const plain = { label: scope.label, kind: { scope: "group", row: "group", levels: "levels", pruned: "pruned" }[scope.kind],
    type: "", detail: [sizeText(scope), scope.types], box: -1 };
  const face = scope.face || plain, fetched = [];
  const shown = scope.boxes.find((each) => each.number === face.box), ran = shown && shown.ran && [...shown.ran, ...face.detail.slice(shown.detail.length)];
  const box = { id, rank: scope.rank, label: face.label, kind: face.kind, type: face.type, detail: face.detail, constants: [], paint: "",
    card: -1, scope: parent, closed: scope, ran: ran || null };
  const fill = (inside) => {
    for (const each of inside.boxes) {
      homes[each.number] = box;
      if (each.kind === "fetched" && each.number !== face.box) fetched.push(each.label);
    }
    inside.inner.forEach(fill);
  };
  fill(scope);
  if (fetched.length) { // as closed_scopes.fetched_inside
    box.kind = "fetched";
    if (fetched.length > 1 || fetched[0] !== face.label) box.detail = [...box.detail, fetched.length > 2 ? `${fetched.length} of them are fetched` : `fetched: ${fetched.join(", ")}`];
  }
  return box;
}

// "each 12 operations" for a row of equal scopes.
function sizeText(scope) {
  return `${scope.kind === "row" ? "each " : ""}${scope.holds}`;
}

// Arrows that became parallel merge into one, labelled with the number of distinct tensors or the type of the only one.
function mergeArrows({ arrows, told }, homes) {
  const kept = [], bundles = new Map();
  arrows.forEach((arrow, index) => {
    const source = homes[arrow.source.number], target = homes[arrow.target.number];
    if (!source.closed && !target.closed) {
      kept.push({ ...arrow, source, target, merged: [arrow], ran: ranLabel(told, arrow, arrow.label, arrow.tensors) });
      return;
    }
    if (source === target) return;
    const key = `${source.id}\u0001${target.id}\u0001${arrow.kind}`;
    if (!bundles.has(key)) bundles.set(key, { source, target, kind: arrow.kind, slot: arrow.slot, labels: new Set(), types: new Set(),
      tensors: new Set(), merged: [] });
    const bundle = bundles.get(key);
    bundle.slot = Math.min(bundle.slot, arrow.slot);
    bundle.labels.add(arrow.label);
    bundle.types.add(arrow.type);
    bundle.merged.push(arrow);
    for (const tensor of arrow.tensors.length ? arrow.tensors : [`\u0000${index}`]) bundle.tensors.add(tensor);
  });
  for (const bundle of bundles.values()) {
    // What an update reads of a variable it also writes.
    if (bundle.kind === "data" && bundles.has(`${bundle.source.id}\u0001${bundle.target.id}\u0001write`)) continue;
    if (bundle.kind === "write" && bundle.target.closed && bundle.target.closed.face && bundle.target.closed.face.quiet) continue;
    const count = bundle.tensors.size;
    let label = `${count} tensor${count === 1 ? "" : "s"}`;
    if (bundle.kind !== "data") label = "";
    else if (count === 1) label = bundle.labels.size === 1 ? [...bundle.labels][0] : "";
    const type = bundle.types.size === 1 ? [...bundle.types][0] : "";
    // A box says the type of its output itself, a closed scope does not. A name such as ":1 total" says more.
    const { closed } = bundle.source, isFace = closed && closed.face && closed.face.box === bundle.merged[0].source.number;
    if (type && count === 1 && closed && !isFace && bundle.kind === "data" && !(label.includes(" ") && !label.includes("("))) label = type;
    kept.push({ ...bundle, label, type, tensors: [...bundle.tensors].sort(), ran: ranLabel(told, bundle.merged[0], label, [...bundle.tensors]) });
  }
  return kept.sort(compareArrows);
}

// What a label says in the recorded run, where it says the type of a tensor: the shape and a small value.
function ranLabel(told, { type }, label, tensors) {
  const text = tensors.length === 1 && type && label.includes(type) && TEXTS[told.get(tensors[0])];
  return text ? label.replace(type, () => text) : label;
}

const hasRunTexts = DATA.views.some((each) => Object.keys(each.ran || {}).length > 0);

const compareText = (x, y) => (x < y ? -1 : x > y ? 1 : 0);

// The order of picture.sorted_arrows.
function compareArrows(a, b) {
  return a.source.rank - b.source.rank || a.target.rank - b.target.rank || compareText(a.kind, b.kind)
    || compareText(a.label, b.label) || compareText(a.tensors.join("\u0000"), b.tensors.join("\u0000")) || a.slot - b.slot;
}

// Opens every scope around a box; returns whether one was closed.
function reveal(box) {
  let changed = false;
  for (let scope = box.home; scope.parent; scope = scope.parent)
    if (!isOpen(scope)) { setOpen(scope, true); changed = true; }
  return changed;
}

// ---- facts ----------------------------------------------------------------------------------------------------

const FACTS = DATA.facts;
const stepOf = new Map(), groupOf = new Map(), recordByNode = new Map();

// Notes the steps of FACTS.plan by the names of their nodes.
function readSteps() {
  stepOf.clear();
  groupOf.clear();
  (FACTS.plan || []).forEach(([node, members, device], number) => {
    const shared = members.length > 1;
    for (const name of [node, ...members]) {
      if (!stepOf.has(name)) stepOf.set(name, { number, node, device });
      if (shared || members.length) groupOf.set(name, node);
    }
  });
}

readSteps();
(FACTS.run || []).forEach(([node, op, device, start, duration, bytes, held, kernel], number) => {
  if (!recordByNode.has(node)) recordByNode.set(node, { number, node, op, device, start, duration, bytes, held, kernel });
});

// The recorded step that computed a node: its own, or that of the group it was fused into.
function recordOf(name) {
  return recordByNode.get(name) || (groupOf.has(name) && recordByNode.get(groupOf.get(name))) || null;
}

function cardOf(box) {
  if (box.card === undefined || box.card < 0) return null;
  const [type, attributes, outputs, origins, device, why] = DATA.cards[box.card];
  return {
    type: TEXTS[type], doc: DATA.docs[type] || "", attributes, why: TEXTS[why], device: TEXTS[device],
    outputs: outputs.map(([dtype, shape]) => [TEXTS[dtype], TEXTS[shape]]),
    origins: origins.map(([place, code, of]) => [TEXTS[place], TEXTS[code], TEXTS[of]]),
  };
}

function byteText(bytes) {
  if (bytes === null || bytes === undefined) return "unknown";
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) { bytes /= 1024; unit++; }
  return `${unit ? bytes.toPrecision(3) : bytes} ${bytes === 1 && !unit ? "byte" : units[unit]}`;
}

function timeText(micros) {
  if (micros >= 1e6) return `${(micros / 1e6).toPrecision(3)} s`;
  if (micros >= 1e3) return `${(micros / 1e3).toPrecision(3)} ms`;
  return `${Number(micros.toPrecision(3))} \u00b5s`;
}
