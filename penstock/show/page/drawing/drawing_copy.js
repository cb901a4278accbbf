// The drawing as an SVG document of its own: what is open now, in the colours and marks of now, with title and legend.
//
// Other programs know neither this page's style sheet nor its variables, so each element gets the style that the browser
// computed for it. Elements of equal style share a class.

const COPIED = ["x", "y", "x1", "x2", "y1", "y2", "width", "height", "rx", "d", "text-anchor", "marker-end", "transform",
  "viewBox", "refX", "refY", "markerWidth", "markerHeight", "orient", "id"];
const EDGE = 28, HEADING = 34, LEGEND_ROW = 22, LEGEND_SIZE = 12;
const LEFT_OUT = ".reach, .sign"; // what only a page has: room for clicks, the signs to open and close

const round = (value) => Number(Number(value).toFixed(2));
const onePixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const colourTexts = new Map();

// A colour as "#rrggbb" and its opacity, whatever way the browser writes it.
function plainColour(colour) {
  if (!colourTexts.has(colour)) {
    onePixel.clearRect(0, 0, 1, 1);
    onePixel.fillStyle = "#0000";
    onePixel.fillStyle = colour;
    onePixel.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = onePixel.getImageData(0, 0, 1, 1).data;
    colourTexts.set(colour, [`#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`, a / 255]);
  }
  return colourTexts.get(colour);
}

// The style of an element as declarations, without what every program takes for granted.
function styleText(made) {
  const style = getComputedStyle(made), parts = [];
  const paint = (name) => {
    if (style[name] === "none") return name === "fill" && parts.push("fill:none");
    const [colour, alpha] = plainColour(style[name]), share = alpha * Number(style[`${name}Opacity`]);
    parts.push(share ? `${name}:${colour}` : `${name}:none`);
    if (share && share < 1) parts.push(`${name}-opacity:${Number(share.toFixed(3))}`);
    return share;
  };
  if (Number(style.opacity) < 1) parts.push(`opacity:${style.opacity}`);
  if (made.localName === "g") return parts.join(";");
  paint("fill");
  if (made.localName === "text") parts.push(`font-size:${style.fontSize}`, ...(Number(style.fontWeight) > 400 ? [`font-weight:${style.fontWeight}`] : []));
  else if (paint("stroke")) {
    parts.push(`stroke-width:${style.strokeWidth}`);
    if (style.strokeDasharray !== "none") parts.push(`stroke-dasharray:${style.strokeDasharray}`);
  }
  return parts.join(";");
}

// Copies an element with all inside; `classes` holds the name of each style.
function copyOf(made, classes) {
  if (made.matches(LEFT_OUT) || getComputedStyle(made).display === "none") return null;
  const copy = document.createElementNS(SVG, made.localName);
  if (made.localName === "title") {
    copy.textContent = made.textContent.replace(/\nclick to [^\n]*/g, "");
    return copy;
  }
  for (const name of COPIED) if (made.hasAttribute(name)) copy.setAttribute(name, made.getAttribute(name).replace(/\d+\.\d{3,}/g, (number) => String(round(number))));
  if (["g", "rect", "path", "text"].includes(made.localName)) {
    const style = styleText(made);
    if (style && !classes.has(style)) classes.set(style, `s${classes.size + 1}`);
    if (style) copy.setAttribute("class", classes.get(style));
  }
  if (made.localName === "text") copy.textContent = made.textContent;
  else copy.append(...[...made.children].map((inner) => copyOf(inner, classes)).filter(Boolean));
  return copy;
}

// The part of the drawing that is copied, in its own units.
function copiedArea(onlyWindow) {
  const whole = { x: -8, y: -8, width: layout.width + 16, height: layout.height + 16 };
  if (!onlyWindow) return whole;
  const x = Math.max(whole.x, -state.x / state.k), y = Math.max(whole.y, -state.y / state.k);
  const right = Math.min(whole.width - 8, (canvas.clientWidth - state.x) / state.k);
  const bottom = Math.min(whole.height - 8, (canvas.clientHeight - coveredBySheet() - state.y) / state.k);
  return { x, y, width: Math.max(right - x, 1), height: Math.max(bottom - y, 1) };
}

// The text of the document.
function drawingText(onlyWindow = false) {
  const classes = new Map(), area = copiedArea(onlyWindow), far = ["far", "tiny"].filter((name) => canvas.classList.contains(name));
  canvas.classList.remove(...far); // a copy of a small drawing has all its texts
  const markers = copyOf(canvas.querySelector("defs"), classes), drawing = copyOf(world, classes);
  canvas.classList.add(...far);
  drawing.removeAttribute("transform");
  const own = getComputedStyle(document.body), page = plainColour(own.backgroundColor)[0], ink = plainColour(own.color)[0];
  const title = shorten(DATA.title, 80), inner = Math.max(area.width, textWidth(title, 16), 240);
  const { rows: legendRows, height: legendHeight } = legendCopy(inner);
  const width = inner + 2 * EDGE, height = HEADING + area.height + legendHeight + 2 * EDGE;
  const made = shape("svg", { xmlns: SVG, width: round(width), height: round(height), viewBox: `0 0 ${round(width)} ${round(height)}`,
    "font-family": 'Helvetica,Arial,"Liberation Sans","Noto Sans",sans-serif' },
  shape("title", {}, DATA.title), shape("style", {}, [...classes].map(([style, name]) => `.${name}{${style}}`).join("\n")), markers,
  shape("rect", { width: round(width), height: round(height), fill: page }),
  shape("text", { x: EDGE, y: EDGE + 14, fill: ink, "font-size": 16, "font-weight": 600 }, title),
  shape("svg", { x: round(EDGE + (inner - area.width) / 2), y: EDGE + HEADING, width: round(area.width), height: round(area.height),
    viewBox: [area.x, area.y, area.width, area.height].map(round).join(" ") }, drawing),
  shape("g", { transform: `translate(${EDGE} ${round(EDGE + HEADING + area.height + 24)})` }, ...legendRows));
  return { text: `${new XMLSerializer().serializeToString(made)}\n`, width, height };
}

// The legend of the page in rows of at most `width`.
function legendCopy(width) {
  const rows = [], ink = plainColour(getComputedStyle(document.getElementById("legend")).color)[0];
  let x = 0, y = 0;
  for (const entry of document.querySelectorAll("#legend .entry")) {
    const parts = [...entry.childNodes].map((part) => {
      if (part.nodeType !== Node.TEXT_NODE) return { swatch: part, wide: parseFloat(getComputedStyle(part).width) || 16 };
      const text = part.data.replace(/ \(click[^)]*\)/, "");
      return { text, wide: textWidth(text, LEGEND_SIZE) };
    });
    const wide = parts.reduce((sum, part) => sum + part.wide + 6, 16);
    if (x && x + wide > width) { x = 0; y += LEGEND_ROW; }
    for (const part of parts) {
      if (part.text) rows.push(shape("text", { x, y: y + 10, fill: ink, "font-size": LEGEND_SIZE }, part.text));
      else rows.push(...swatchCopy(part.swatch, x, y, part.wide));
      x += part.wide + 6;
    }
    x += 16;
  }
  return { rows, height: rows.length ? y + LEGEND_ROW + 24 : 0 };
}

function swatchCopy(swatch, x, y, width) {
  const style = getComputedStyle(swatch), border = plainColour(style.borderTopColor)[0], dashes = style.borderTopStyle === "dashed" ? { "stroke-dasharray": "5 3" } : {};
  if (swatch.matches(".control")) return [shape("path", { d: `M${x} ${y + 6} h${width}`, fill: "none", stroke: border, "stroke-width": 2, ...dashes })];
  const look = { "stroke-width": parseFloat(style.borderTopWidth) || 1.4, opacity: style.opacity, ...dashes };
  const fill = (colour) => { const [plain, alpha] = plainColour(colour); return alpha ? plain : "none"; };
  if (!swatch.matches(".ramp")) return [shape("rect", { x, y, width, height: 12, rx: 3, fill: fill(style.backgroundColor), stroke: border, ...look })];
  const low = style.getPropertyValue("--ramp-low"), high = style.getPropertyValue("--ramp-high");
  return Array.from({ length: 12 }, (_, at) => shape("rect", { x: x + (at * width) / 12, y, width: width / 12 + 0.3, height: 12,
    fill: fill(`color-mix(in oklab, ${high} ${(at * 100) / 11}%, ${low})`) }));
}
