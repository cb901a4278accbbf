// Recorded values: the type, statistics, a histogram, an image if the value has the shape of one, and the first elements.

const VALUES = (DATA.facts || {}).values || {};
const valueOfName = (name) => (Object.hasOwn(VALUES, name) ? VALUES[name] : valueInLoop(name));

// The names of the values that a box made. A step of the plan has its own list; a node of an earlier stage has outputs.
const makesOf = new Map((FACTS.plan || []).map(([node, , , , makes]) => [node, makes]));

function valueNamesOf(box) {
  const isStep = box.kind === "fused" || box.type === "Fused" || DATA.views.length === 1;
  if (isStep && makesOf.has(box.id)) return makesOf.get(box.id).filter(valueOfName);
  if (valueOfName(box.id)) return [box.id];
  const names = [];
  for (let index = 0; valueOfName(`${box.id}:${index}`); index++) names.push(`${box.id}:${index}`);
  return names;
}

function summaryOf(row) {
  if (!row || !row[2]) return null;
  const [size, preview, least, most, mean, std, nans, infs, zeros, bad, histogram, image] = row[2];
  return { size, preview, least, most, mean, std, nans, infs, zeros, bad, histogram, image };
}

const healthOf = (found) => (found.nans ? "NaN" : found.infs ? "Inf" : "finite");

// Numbers are shown with 5 digits; large integers are texts already.
function numberText(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string" || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(5)));
}

// One line: "0.1 to 7.9, mean 3.46"; `type` is that of the value, "bool (3,)".
function shortValue(found, type = "") {
  if (!found) return "";
  if (!found.size) return "empty";
  if (type.startsWith("bool") && found.size > 1) return trueText(found);
  if (found.size > 1 && allEqual(found)) return `all ${numberText(found.least)}`;
  if (found.least === null) return badText(found) || shorten(found.preview, 60);
  if (found.size === 1) return shorten(found.preview, 40);
  const told = `${numberText(found.least)} to ${numberText(found.most)}, mean ${numberText(found.mean)}`;
  return badText(found) ? `${told}, ${badText(found)}` : told;
}

const trueText = (found) => `${found.size - found.zeros} of ${found.size} are true`;
const allEqual = (found) => found.least !== null && found.least === found.most && !found.nans && !found.infs;

// The numbers about a value, as rows for the panel.
function statistics(found, type) {
  if (found.size < 2 || found.least === null) return [];
  if (type.startsWith("bool")) return [["values", trueText(found)]];
  if (allEqual(found)) return [["values", `all ${numberText(found.least)}`]];
  return [["range", `${numberText(found.least)} to ${numberText(found.most)}`], ["mean", numberText(found.mean)],
    ["standard deviation", numberText(found.std)], ["zeros", found.zeros ? `${found.zeros} of ${found.size}` : null]];
}

function badText(found) {
  return [found.nans ? `${found.nans} NaN` : "", found.infs ? `${found.infs} Inf` : ""].filter(Boolean).join(", ");
}

// The facts about the value `name`, for the panel.
function valueView(name, titled = true) {
  const row = valueOfName(name);
  if (!row) return null;
  const [type, bytes] = row, found = summaryOf(row);
  const head = element("p", { class: "value-head" }, titled ? element("b", {}, cut(name, 48)) : null,
    element("span", { class: "carried" }, `${titled ? " " : ""}${type}, ${byteText(bytes)}`));
  if ((FACTS.edited || []).includes(name)) head.append(element("span", { class: "bad" }, " depends on a value that was set by hand"));
  if (!found) return element("div", { class: "value" }, head);
  const bad = badText(found), where = found.bad ? ` first at [${found.bad.join(", ")}]` : "";
  return element("div", { class: "value" }, head,
    bad ? element("p", { class: "bad" }, `${bad}${where}`) : null,
    rows(statistics(found, type)),
    found.image && !allEqual(found) ? imageView(found.image, bad) : null,
    found.histogram && found.histogram[3].length > 1 ? histogramView(found.histogram) : null,
    element("pre", { class: "preview" }, found.preview));
}

// Bars of equal width between the lowest and the highest finite element.
function histogramView([low, high, stride, counts]) {
  const most = Math.max(...counts, 1), wide = 300 / counts.length;
  const edge = (at) => numberText(Number(low) + ((Number(high) - Number(low)) * at) / counts.length);
  const bars = counts.map((count, at) => shape("rect", { x: at * wide, width: wide - 1, y: 46 - 44 * (count / most), height: count ? Math.max(44 * (count / most), 1) : 0 },
    shape("title", {}, `${count} between ${edge(at)} and ${edge(at + 1)}`)));
  return element("figure", { class: "histogram" }, shape("svg", { viewBox: "0 0 300 46", preserveAspectRatio: "none", role: "img", "aria-label": "Histogram" }, ...bars),
    element("figcaption", {}, element("span", {}, numberText(low)),
      element("span", {}, stride > 1 ? `elements in each bin, counted in one of ${stride}` : "elements in each bin"), element("span", {}, numberText(high))));
}

// Grey or colour; what is NaN or infinite is orange.
function imageView([height, width, channels, pixels, low, high], bad) {
  const bytes = atob(pixels), drawn = element("canvas", { width, height, class: "image", role: "img", "aria-label": "The value as an image" });
  const context = drawn.getContext("2d"), area = context.createImageData(width, height);
  for (let at = 0; at < width * height; at++) {
    const levels = [0, 1, 2].map((c) => bytes.charCodeAt(at * channels + (channels === 3 ? c : 0)));
    const colour = levels.includes(255) ? [226, 87, 30] : levels.map((level) => Math.round((level * 255) / 254));
    area.data.set([...colour, 255], at * 4);
  }
  context.putImageData(area, 0, 0);
  const scale = Math.min(280 / width, 130 / height);
  drawn.style.width = `${Math.round(width * scale)}px`;
  const dark = channels === 3 ? "" : `Black is ${numberText(low)}, white is ${numberText(high)}${bad ? "; NaN and infinities are orange" : ""}.`;
  return element("figure", {}, drawn, dark ? element("figcaption", {}, dark) : null);
}
