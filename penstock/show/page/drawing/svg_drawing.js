// SVG drawing of a picture with coordinates, with the shapes of svg.py. Texts are set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const canvas = document.getElementById("canvas"), world = document.getElementById("world");

function shape(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const svgText = (x, y, text, kind, anchor = "middle") => shape("text", { x, y, class: kind, "text-anchor": anchor }, text);

// Draws everything anew. `badgeOf` gives the number on a box, if it has one. Each placed object gets its `element`.
function drawLayout(layout, badgeOf) {
  const parts = [];
  for (const placed of layout.scopes) parts.push(drawOpenScope(placed));
  for (const placed of layout.arrows) parts.push(drawArrow(placed));
  parts.push(...drawLabels(layout.arrows));
  for (const placed of layout.boxes) parts.push(drawBox(placed, badgeOf(placed.box)));
  world.replaceChildren(...parts);
}

const TITLE_INSET = 26, TITLE_DROP = 18; // where the title of an open scope begins
const titleDrop = ({ height, lines, ran, room }) => (height - room - LINE_HEIGHT * Math.max(lines.length, ran.length)) / 2 + 11.5; // the title of a box

function drawOpenScope(placed) {
  const { x, y, width, height, scope } = placed, title = scopeTitle(scope);
  const button = shape("g", { class: "scope-title", role: "button" },
    shape("title", {}, `${scope.origin.path}\nclick to close`),
    shape("rect", { x: x + 6, y: y + 4, width: Math.min(textWidth(title, LABEL_SIZE) + 26, width - 12), height: 20, rx: 5 }),
    svgText(x + 12, y + TITLE_DROP, "\u2212", "sign", "start"), svgText(x + TITLE_INSET, y + TITLE_DROP, title, "scope-label", "start"));
  placed.element = shape("g", { class: `scope ${scope.origin.kind}`, "data-path": scope.origin.path },
    shape("rect", { x, y, width, height, rx: 10, class: "area" }), button);
  if (scope.origin.hue >= 0) placed.element.style.setProperty("--h", scope.origin.hue);
  return placed.element;
}

function drawBox(placed, badge) {
  const { x, y, width, height, lines, ran, box } = placed, middle = x + width / 2;
  const baseline = y + titleDrop(placed);
  const rect = shape("rect", { x, y, width, height, rx: 6, class: "body" });
  const made = shape("g", { class: "box", "data-id": box.id, role: "button" }, shape("title", {}, tooltip(box)), rect);
  if (box.closed) made.append(shape("rect", { x: x + 4, y: y + height, width: width - 8, height: 3, rx: 1.5, class: "under" }),
    svgText(x + width - 9, y + 13, "+", "sign"));
  placed.texts = (ran.length > lines.length ? ran : lines).map((_, row) =>
    svgText(middle, baseline + row * LINE_HEIGHT, lines[row] || "", row ? "detail" : "name"));
  made.append(...placed.texts);
  if (badge) {
    const wide = 10 + 6 * badge.length;
    made.append(shape("rect", { x: x - 7, y: y - 7, width: wide, height: 14, rx: 7, class: "badge" }),
      svgText(x - 7 + wide / 2, y + 3.5, badge, "badge-text"));
  }
  placed.element = made;
  if (LAYER.drawBox) LAYER.drawBox(placed);
  return made;
}

function tooltip(box) {
  const constants = box.constants.map(({ line, name }) => `${line} (${name})`);
  const lines = [box.id, box.type, ...constants, ...box.detail, ...(box.ran || []).map((line) => `in the run ${line}`)].map((line) => shorten(line, 200));
  return [...lines, box.fate || "", box.closed ? "click to open" : ""].filter(Boolean).join("\n");
}

function drawArrow(placed) {
  const { arrow } = placed, path = arrowPath(placed);
  const line = shape("path", { class: arrow.kind === "data" ? "line" : `line ${arrow.kind}`, d: path, [headEnd(arrow)]: `url(#${headOf(arrow)})` });
  placed.line = line;
  placed.element = shape("g", { class: "arrow", "data-from": arrow.source.id, "data-to": arrow.target.id },
    shape("title", {}, arrowTip(arrow)), shape("path", { class: "reach", d: path }), line);
  return placed.element;
}

const headOf = ({ kind }) => (kind === "data" ? "head" : `head-${kind}`);
const headEnd = ({ kind }) => (LEADS_BACK[kind] ? "marker-start" : "marker-end"); // at the variable

const LEADS_BACK = { write: true, loop: true };
const ARROW_WORDS = { data: "to", control: "before", write: "is written by", loop: "is next given by" };

function arrowTip(arrow) {
  const tensors = arrow.tensors.filter((name) => !name.startsWith("\u0000"));
  const named = tensors.slice(0, 8).map((name) => shorten(name, 100)).join(", ") + (tensors.length > 8 ? ` and ${tensors.length - 8} more` : "");
  const ends = `${shorten(arrow.source.id, 200)} ${ARROW_WORDS[arrow.kind]} ${shorten(arrow.target.id, 200)}`;
  return [ends, shorten(arrow.type || arrow.label, 200), named].filter(Boolean).join("\n");
}

// Vertical inside layers, soft curves between them; a line leaves a gap where its own label stands.
function arrowPath({ points, label, across }) {
  const parts = [`M${points[0].join(" ")}`];
  if (label) {
    const level = points[0][1] === points[1][1], ahead = points[1][0] > points[0][0];
    const down = points[1][1] > points[0][1], near = down ? label.y : label.y + label.height;
    if (level) parts.push(`L${ahead ? label.x : label.x + label.width} ${points[0][1]}`,
        `M${ahead ? label.x + label.width : label.x} ${points[0][1]}`);
    else parts.push(`L${points[0][0]} ${near}`, `M${points[0][0]} ${down ? label.y + label.height : label.y}`);
  }
  for (let at = 1; at < points.length; at++) {
    const [x0, y0] = points[at - 1], [x1, y1] = points[at], middle = across ? (x0 + x1) / 2 : (y0 + y1) / 2;
    if (x0 === x1 || y0 === y1) parts.push(straightPiece(points[at - 1], points[at], points[at + 1]));
    else if (across) parts.push(`C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`);
    else parts.push(`C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`);
  }
  return parts.join(" ");
}

// A straight piece; a right angle behind it is rounded.
function straightPiece([x0, y0], [x1, y1], following) {
  if (!following || (x1 !== following[0] && y1 !== following[1])) return `L${x1} ${y1}`;
  const [x2, y2] = following, before = Math.abs(x1 - x0) + Math.abs(y1 - y0), after = Math.abs(x2 - x1) + Math.abs(y2 - y1);
  const radius = Math.min(6, before / 2, after / 2), near = radius / before, far = radius / after;
  return `L${x1 - (x1 - x0) * near} ${y1 - (y1 - y0) * near} Q${x1} ${y1} ${x1 + (x2 - x1) * far} ${y1 + (y2 - y1) * far}`;
}

function drawLabels(arrows) {
  const seen = new Set(), drawn = [];
  for (const { arrow, label } of arrows) {
    if (!label) continue;
    const key = `${label.x} ${label.y} ${arrow.label}`;
    if (seen.has(key)) continue;
    seen.add(key);
    label.element = svgText(label.x + label.width / 2, label.y + 10, shorten(arrow.label), "arrow-label");
    drawn.push(label.element);
  }
  return drawn;
}

// Sets the classes of a box, for its kind and its marks; only they change between clicks.
function paintBox(placed, told) {
  const { box, element: made } = placed, tint = box.tint;
  const classes = ["box", box.faded ? "pruned" : box.kind, box.closed ? "closed" : ""];
  if (tint) classes.push(tint.hue !== undefined ? "hue" : tint.ramp !== undefined ? "ramped" : "plain");
  for (const [name, holds] of Object.entries(told)) if (holds) classes.push(name);
  setClass(made, classes.filter(Boolean).join(" "));
  if (box.paint) paintOwn(made, tint ? "" : box.paint);
  if (tint && tint.hue !== undefined) made.style.setProperty("--h", tint.hue);
  if (tint && tint.ramp !== undefined) made.style.setProperty("--v", tint.ramp.toFixed(3));
  const tip = tooltip(box) + (tint && tint.says ? `\n${tint.says}` : "");
  if (made.firstChild.textContent !== tip) made.firstChild.textContent = tip;
}

// The paint that a picture gave a box, with text that can be read on it.
function paintOwn(made, paint) {
  made.querySelector(".body").style.fill = paint;
  const ink = inkOn(paint);
  for (const name of ["--ink", "--faint"])
    if (ink) made.style.setProperty(name, ink); else made.style.removeProperty(name);
}

// As svg.ink_on.
function inkOn(paint) {
  if (!paint.startsWith("#")) return "";
  const digits = paint.length === 7 ? paint.slice(1) : [...paint.slice(1)].map((digit) => digit + digit).join("");
  const below = [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => {
    const level = parseInt(digits.slice(2 * at, 2 * at + 2), 16) / 255;
    return sum + weight * (level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4);
  }, 0);
  return below > 0.2629 ? "#1d2733" : below < 0.1833 ? "#ffffff" : "#000000";
}

// Writes what the run says in a box, or the static types; so for the label of an arrow.
function paintLines({ texts, lines, ran }, hasRun) {
  if (lines === ran) return;
  texts.forEach((made, row) => setText(made, (hasRun ? ran : lines)[row] || ""));
}

function paintLabel({ arrow, label }, hasRun) {
  if (label && label.element && arrow.ran !== arrow.label) setText(label.element, shorten(hasRun ? arrow.ran : arrow.label));
}

function setText(made, text) {
  if (made.textContent !== text) made.textContent = text;
}

// Setting an attribute redraws the element even if the value is the same, so only changes are set.
function setClass(made, classes) {
  if (made.getAttribute("class") !== classes) made.setAttribute("class", classes);
}

function paintArrow(placed, lit, dim) {
  const classes = `arrow${lit ? " lit" : ""}${dim ? " dim" : ""}`;
  if (placed.element.getAttribute("class") === classes) return;
  placed.element.setAttribute("class", classes);
  placed.line.setAttribute(headEnd(placed.arrow), `url(#${lit && !LEADS_BACK[placed.arrow.kind] ? "head-lit" : headOf(placed.arrow)})`);
}
