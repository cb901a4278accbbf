// Colour modes. Each mode gives the colour of a box and its meaning, so the legend always agrees with the boxes.

const KIND_WORDS = { fed: "fed", constant: "constant", variable: "variable (kept between runs)", operation: "operation",
  fused: "fused: several operations in one step", fetched: "fetched", pruned: "not needed",
  group: "closed scope (click to open)", levels: "levels of the graph (click to open)" };
const HUES = [210, 35, 140, 285, 5, 178, 60, 325, 100, 245, 20, 160];

// The value of a box in a mode: a text (a category), a number (a position on a ramp), or null.
const MODES = {
  kind: { label: "by kind", of: () => null, has: () => true },
  type: { label: "by op type", none: "no op", of: (box) => box.type || null, has: () => true },
  dtype: { label: "by dtype", none: "no result", of: (box) => { const card = cardOf(box); return card && card.outputs.length ? card.outputs[0][0] : null; },
    has: () => DATA.cards.length > 0 },
  device: { label: "by device", none: "no device", of: deviceOf, has: () => DATA.cards.length > 0 && Boolean(FACTS.plan) },
  group: { label: "by fused group", none: "in no group", of: (box) => groupOf.get(box.id) || null, has: () => groupOf.size > 0 },
  order: { label: "by order of steps", none: "no step of its own", of: (box) => (stepOf.has(box.id) ? stepOf.get(box.id).number + 1 : null),
    text: (value) => `step ${value}`, has: () => stepOf.size > 0 },
  time: { label: "by time", none: "no time recorded", of: (box) => { const r = recordOf(box.id); return r && r.duration; }, text: timeText, sum: true,
    has: () => recordByNode.size > 0 },
  bytes: { label: "by size of results", none: "no size recorded", of: (box) => { const r = recordOf(box.id); return r && r.bytes; }, text: byteText, sum: true,
    has: () => recordByNode.size > 0 },
  memory: { label: "by memory in use", none: "no step of its own", of: (box) => { const r = recordOf(box.id); return r && r.held; },
    text: (value) => `${byteText(value)} in use after the step`, has: () => recordByNode.size > 0 },
  health: { label: "by NaN and Inf", none: "no value recorded", of: healthOfBox, hues: { finite: 140, Inf: 40, NaN: 5 }, has: () => Boolean(FACTS.hasValues) },
};

// The worst health of the values that a box made in the recorded run.
function healthOfBox(box) {
  let worst = null;
  for (const name of valueNamesOf(box)) {
    const found = summaryOf(valueOfName(name)), health = found && healthOf(found);
    if (health && worst !== "NaN" && (health === "NaN" || worst !== "Inf")) worst = health;
  }
  return worst;
}

function deviceOf(box) {
  if (stepOf.has(box.id)) return stepOf.get(box.id).device;
  const card = cardOf(box);
  return (card && card.device) || null;
}

// A closed scope has the value that all its nodes share; times and bytes are summed, once for each step.
function valueOf(mode, box) {
  if (!box.closed) return mode.of(box);
  const values = [], counted = new Set();
  eachBoxIn(box.closed, (inner) => {
    if (mode.sum) {
      const record = recordOf(inner.id);
      if (!record || counted.has(record.node)) return;
      counted.add(record.node);
    }
    const value = mode.of(inner);
    if (value !== null) values.push(value);
  });
  if (!values.length) return null;
  if (mode.sum) return values.reduce((sum, value) => sum + value, 0);
  if (typeof values[0] === "number") return values.reduce((least, value) => Math.min(least, value), Infinity);
  return values.every((value) => value === values[0]) ? values[0] : "several";
}

function eachBoxIn(scope, visit) {
  scope.boxes.forEach(visit);
  scope.inner.forEach((inner) => eachBoxIn(inner, visit));
}

// Sets the `tint` of every box in view: {hue}, {ramp}, or nothing (the kind decides). Returns the rows of the legend.
function tintBoxes(boxes, modeName, picture) {
  const mode = MODES[modeName];
  for (const box of boxes) box.tint = null;
  if (modeName === "kind") {
    for (const box of boxes) if (!box.faded && sharesColour(box.closed)) box.tint = { hue: box.closed.hue, says: EQUAL };
    return kindLegend(boxes, picture);
  }
  const values = boxes.map((box) => (box.kind === "pruned" || box.faded ? null : valueOf(mode, box)));
  const known = values.filter((value) => value !== null);
  const rest = known.length < boxes.length ? [{ label: mode.none, kind: "pruned" }] : [];
  if (!known.length) return [{ label: `all boxes: ${mode.none}`, kind: "pruned" }];
  return typeof known[0] === "number" ? [...tintRamp(boxes, values, known, mode), ...rest]
    : [...tintCategories(boxes, values, known, mode.hues), ...rest];
}

function tintRamp(boxes, values, known, mode) {
  const low = known.reduce((a, b) => Math.min(a, b)), high = known.reduce((a, b) => Math.max(a, b)), text = mode.text || String;
  // Logarithmic, so that one slow step does not make all others look alike.
  const steep = mode.sum && low > 0 && high > 50 * low, scale = steep ? Math.log : (value) => value;
  const share = (value) => (high > low ? (scale(value) - scale(low)) / (scale(high) - scale(low)) : 0.5);
  boxes.forEach((box, at) => {
    const value = values[at];
    box.tint = value === null ? { none: true } : { ramp: share(value), says: text(value) };
  });
  return [{ ramp: [text(low), text(high) + (steep ? " (logarithmic scale)" : "")] }];
}

function tintCategories(boxes, values, known, hues) {
  const counts = new Map();
  for (const value of known) counts.set(value, (counts.get(value) || 0) + 1);
  const names = [...counts.keys()].sort((a, b) => (a === "several") - (b === "several") || counts.get(b) - counts.get(a)
    || a.localeCompare(b, "en", { numeric: true }));
  const own = names.filter((name) => name !== "several").slice(0, HUES.length);
  const hue = new Map(own.map((name, number) => [name, hues ? hues[name] : HUES[number]]));
  boxes.forEach((box, at) => {
    const value = values[at];
    box.tint = value === null ? { none: true } : hue.has(value) ? { hue: hue.get(value), says: value } : { none: true, says: value };
  });
  const rows = own.map((name) => ({ label: `${shorten(name, 32)} (${counts.get(name)})`, title: name, hue: hue.get(name) }));
  const others = names.length - own.length;
  if (others) rows.push({ label: names.includes("several") && others === 1 ? "several in one closed scope" : `${others} others`, kind: "pruned" });
  return rows;
}

function kindLegend(boxes, view) {
  if (view.legend.length) return view.legend.map(([label, kind, paint]) => ({ label, kind, paint }));
  const seen = new Set(boxes.filter((box) => !box.tint).map((box) => (box.faded ? "pruned" : box.kind)));
  const rows = Object.keys(KIND_WORDS).filter((kind) => seen.has(kind)).map((kind) => ({ label: KIND_WORDS[kind], kind }));
  const shared = boxes.find((box) => box.tint);
  return shared ? [...rows, { label: EQUAL, hue: shared.tint.hue }] : rows;
}

const EQUAL = "one colour: scopes that are equal inside";

// Whether a scope has the colour of its structure: where colours mean kinds, if another scope in view is equal to it.
function sharesColour(scope) {
  if (!scope || scope.hue < 0 || state.colour !== "kind" || view.legend.length) return false;
  if (!picture.hues) {
    const shown = [...picture.scopes.map((each) => each.origin), ...picture.boxes.map((box) => box.closed).filter(Boolean)];
    picture.hues = new Map();
    for (const { hue, kind } of shown) if (kind !== "row") picture.hues.set(hue, (picture.hues.get(hue) || 0) + 1);
  }
  return picture.hues.get(scope.hue) > 1;
}

function drawLegend(rows, marks) {
  const legend = document.getElementById("legend");
  legend.replaceChildren(...rows.map((row) => {
    if (row.ramp) return element("span", { class: "entry" }, row.ramp[0], element("i", { class: "ramp" }), row.ramp[1]);
    const swatch = element("i", { class: `swatch ${row.hue === undefined ? row.kind || "" : "hue"}` });
    if (row.hue !== undefined) swatch.style.setProperty("--h", row.hue);
    if (row.paint) swatch.style.background = row.paint;
    return element("span", { class: "entry", title: row.title }, swatch, row.label);
  }), ...marks.map(([kind, label]) => element("span", { class: "entry" }, element("i", { class: `mark ${kind}` }), label)));
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A text of at most `longest` letters; where it is cut, its tooltip has all of it.
function cut(text, longest) {
  const shown = shorten(text, longest);
  return shown.length < shorten(text, Infinity).length ? element("span", { title: shorten(text, 2000) }, shown) : shown;
}
