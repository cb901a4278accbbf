// Tensors of the play page: {dtype, shape, data}, row by row; how they are read from data, written, compared and edited.
// A complex element is two numbers of `data`; a string is a text in which each character is one byte; an element of
// dtype variant is a tensor, the elements of a TensorArray (arrays/array_elements.js), or null.

const sizeOfShape = (shape) => shape.reduce((product, size) => product * size, 1);

function newData(dtype, count) {
  if (PLAY_DTYPES[dtype].array === Array) return new Array(count).fill(zeroOf(dtype));
  return new PLAY_DTYPES[dtype].array(count * partsOf(dtype));
}

const tensorOf = (dtype, shape, data) => ({ dtype, shape, data });
const zerosOf = (dtype, shape) => tensorOf(dtype, shape, newData(dtype, sizeOfShape(shape)));
const sizeOf = (tensor) => sizeOfShape(tensor.shape);
const scalarTensor = (dtype, value) => {
  const made = zerosOf(dtype, []);
  made.data[0] = value;
  return made;
};
const withShape = (tensor, shape) => tensorOf(tensor.dtype, shape, tensor.data);
const copyOfTensor = (tensor) => tensorOf(tensor.dtype, [...tensor.shape], tensor.data.slice());

// [2,3], as messages write shapes.
const listed = (numbers) => `[${[...numbers].join(",")}]`;

// Ints as plain numbers: of indices, shapes, axes.
const numbersOf = (tensor) => Array.from(tensor.data, Number);

function scalarNumber(tensor, what) {
  if (sizeOf(tensor) !== 1) throw new PlayError(`${what} must be a scalar, not of shape ${listed(tensor.shape)}`);
  return Number(tensor.data[0]);
}

// Rows of `width` numbers of `data`: copies row `from` of `source` to row `to` of `target`.
function copyRow(target, to, source, from, width) {
  for (let i = 0; i < width; i++) target[to * width + i] = source[from * width + i];
}

// The step of each dimension in elements.
function stridesOf(shape) {
  const strides = new Array(shape.length);
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

// The place in each dimension of the element with number `index`.
function placeOf(index, shape) {
  const place = new Array(shape.length);
  for (let d = shape.length - 1; d >= 0; d--) {
    place[d] = index % shape[d];
    index = Math.floor(index / shape[d]);
  }
  return place;
}

// One tensor of the same elements in another order: element i of the result is element from[i] of the operand.
function taken(tensor, shape, from) {
  const parts = partsOf(tensor.dtype);
  const made = zerosOf(tensor.dtype, shape);
  if (parts === 1) for (let i = 0; i < from.length; i++) made.data[i] = tensor.data[from[i]];
  else for (let i = 0; i < from.length; i++) copyRow(made.data, i, tensor.data, from[i], 2);
  return made;
}

// ---- broadcasting

function broadcastShapes(a, b) {
  const rank = Math.max(a.length, b.length);
  const shape = new Array(rank);
  for (let d = 1; d <= rank; d++) {
    const left = d <= a.length ? a[a.length - d] : 1;
    const right = d <= b.length ? b[b.length - d] : 1;
    if (left !== right && left !== 1 && right !== 1)
      throw new PlayError(`Incompatible shapes: ${listed(a)} vs. ${listed(b)}`);
    shape[rank - d] = left === 1 ? right : left;
  }
  return shape;
}

const sameShape = (a, b) => a.length === b.length && a.every((size, d) => size === b[d]);

// For each element of a result of shape `to` the number of the operand's element; null where they are the same.
function broadcastPlaces(from, to) {
  if (sameShape(from, to)) return null;
  const count = sizeOfShape(to);
  const places = new Int32Array(count);
  const strides = stridesOf(from);
  const lead = to.length - from.length;
  const steps = to.map((_, d) => (d < lead || from[d - lead] === 1 ? 0 : strides[d - lead]));
  const at = new Array(to.length).fill(0);
  let place = 0;
  for (let i = 0; i < count; i++) {
    places[i] = place;
    for (let d = to.length - 1; d >= 0; d--) {
      place += steps[d];
      if (++at[d] < to[d]) break;
      place -= steps[d] * to[d];
      at[d] = 0;
    }
  }
  return places;
}

// ---- data of the page

const floatFromData = (value) => (typeof value === "string" ? Number(value) : value);

function elementsFromData(dtype, data) {
  const kind = kindOf(dtype);
  if (isBigType(dtype)) return PLAY_DTYPES[dtype].array.from(data, BigInt);
  if (kind === "c") return PLAY_DTYPES[dtype].array.from(data.flat(), floatFromData);
  if (kind === "s") return data.map((text) => (typeof text === "string" ? text : atob(text.base64)));
  if (kind === "f") return PLAY_DTYPES[dtype].array.from(data, floatFromData);
  return PLAY_DTYPES[dtype].array.from(data, Number);
}

const tensorFromData = (made) => tensorOf(made.dtype, made.shape, elementsFromData(made.dtype, made.data));

const floatToData = (value) => (Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? "-0" : String(value));
const isPlainText = (text) => /^[\x20-\x7e\n\t]*$/.test(text);

function tensorToData(tensor) {
  const { dtype, shape, data } = tensor;
  const kind = kindOf(dtype);
  let written = Array.from(data);
  if (isBigType(dtype)) written = written.map(String);
  else if (kind === "c") written = Array.from({ length: data.length / 2 }, (_, i) => [floatToData(data[2 * i]), floatToData(data[2 * i + 1])]);
  else if (kind === "f") written = written.map(floatToData);
  else if (kind === "v") written = written.map((content) => content && ("data" in content ? tensorToData(content) : [content.size, ...[...content.entries].map(([index, value]) => [index, value && tensorToData(value)])]));
  else if (kind === "s") written = written.map((text) => (isPlainText(text) ? text : { base64: btoa(text) }));
  return { dtype, shape, data: written };
}

// ---- comparing and editing

// Whether two numbers of data are the same value; NaN is like NaN, and -0 differs from 0.
function sameElement(one, other) {
  if (Object.is(one, other)) return true;
  if (!one || !other || typeof one !== "object" || typeof other !== "object") return false;
  if ("data" in one || "data" in other) return "data" in one && "data" in other && isUnchanged(one, other);
  return one.size === other.size && one.entries.size === other.entries.size && [...one.entries].every(([index, value]) => other.entries.has(index) && (value === other.entries.get(index) || isUnchanged(value, other.entries.get(index))));
}

function isUnchanged(before, after) {
  const cells = changedCells(before, after);
  return cells !== null && !cells.length;
}

// The numbers of the elements that differ; null if dtype or shape do.
function changedCells(before, after) {
  if (!before || !after || before.dtype !== after.dtype || !sameShape(before.shape, after.shape)) return null;
  if (before.data === after.data) return [];
  const parts = partsOf(before.dtype);
  const cells = [];
  for (let i = 0; i < before.data.length; i++) {
    if (sameElement(before.data[i], after.data[i])) continue;
    const cell = Math.floor(i / parts);
    if (cells[cells.length - 1] !== cell) cells.push(cell);
  }
  return cells;
}

// A copy of a tensor with another value in one cell, given as text, as a reader types it.
function withCell(tensor, cell, text) {
  const made = copyOfTensor(tensor);
  const value = elementFromText(tensor.dtype, text);
  if (isComplexType(tensor.dtype)) [made.data[2 * cell], made.data[2 * cell + 1]] = value;
  else made.data[cell] = value;
  return made;
}

// One element as a reader sees it: "1.5", "-0", "true", "2+3j".
function elementText(tensor, cell) {
  const { dtype, data } = tensor;
  if (kindOf(dtype) === "b") return data[cell] ? "true" : "false";
  if (kindOf(dtype) === "v") return contentText(data[cell]);
  if (isComplexType(dtype)) {
    const imaginary = shortestText(data[2 * cell + 1], realTypeOf(dtype));
    return `${shortestText(data[2 * cell], realTypeOf(dtype))}${imaginary.startsWith("-") ? "" : "+"}${imaginary}j`;
  }
  return isFloatType(dtype) ? shortestText(data[cell], dtype) : String(data[cell]);
}

// What a variant holds: "nothing", "[1 2]", "3 elements: [1 2], -, -".
function contentText(content) {
  if (content === null) return "nothing";
  if ("data" in content) return elementsText(content);
  const { size, entries } = content, count = Math.min(size, 8);
  const texts = Array.from({ length: count }, (_, i) => (entries.get(i) ? elementsText(entries.get(i)) : entries.has(i) ? "read" : "-"));
  return `${size} element${size === 1 ? "" : "s"}${size ? ": " : ""}${texts.join(", ")}${count < size ? ", ..." : ""}`;
}

function elementsText(tensor) {
  const count = Math.min(sizeOf(tensor), 8), texts = Array.from({ length: count }, (_, i) => elementText(tensor, i));
  if (!tensor.shape.length) return texts[0];
  return `[${texts.join(" ")}${count < sizeOf(tensor) ? " ..." : ""}]`;
}

// The shortest decimal number that is rounded to this float again.
function shortestText(number, dtype) {
  if (Object.is(number, -0)) return "-0";
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
  if (dtype === "float64") return String(number);
  const round = rounderOf(dtype);
  for (let digits = 1; digits < 17; digits++) {
    const text = number.toPrecision(digits);
    if (round(Number(text)) === number) return String(Number(text));
  }
  return String(number);
}

// What a reader typed as an element of the dtype; a PlayError says what is expected.
function elementFromText(dtype, text) {
  const typed = String(text).trim();
  const kind = kindOf(dtype);
  if (kind === "v") throw new PlayError("the elements of a TensorArray are not edited; edit what is written to it");
  if (kind === "s") return unescape(encodeURIComponent(String(text))); // the bytes of UTF-8, one character each
  if (kind === "b") {
    if (/^(true|1|yes)$/i.test(typed)) return 1;
    if (/^(false|0|no)$/i.test(typed)) return 0;
    throw new PlayError(`${JSON.stringify(typed)} is not a bool: write true or false`);
  }
  if (isIntType(dtype)) {
    const [least, most] = intRange(dtype);
    if (!/^[+-]?\d+$/.test(typed)) throw new PlayError(`${JSON.stringify(typed)} is not an int: ${dtype} holds whole numbers`);
    const value = BigInt(typed.replace("+", ""));
    if (value < least || value > most) throw new PlayError(`${typed} does not fit ${dtype}, which holds ${least} to ${most}`);
    return isBigType(dtype) ? value : Number(value);
  }
  if (kind === "c") {
    const found = /^(?:([+-]?[^ij]+?))?(?:([+-](?:[\d.]+(?:e[+-]?\d+)?|inf|nan)?)[ij])?$/i.exec(typed.replaceAll(" ", ""));
    const lone = /^([+-]?[\d.]*(?:e[+-]?\d+)?)[ij]$/i.exec(typed.replaceAll(" ", ""));
    if (lone) return [0, imaginaryFromText(lone[1], dtype)];
    try {
      return [floatFromText(found[1] || "0", dtype), found[2] === undefined ? 0 : imaginaryFromText(found[2], dtype)];
    } catch {
      throw new PlayError(`${JSON.stringify(typed)} is not a complex number: write for example 1.5-2j`);
    }
  }
  return floatFromText(typed, dtype);
}

const imaginaryFromText = (text, dtype) => floatFromText(/^[+-]?$/.test(text) ? `${text}1` : text, dtype);

function floatFromText(text, dtype) {
  const names = { nan: NaN, inf: Infinity, "+inf": Infinity, "-inf": -Infinity, infinity: Infinity, "-infinity": -Infinity };
  const name = names[text.toLowerCase()];
  if (name !== undefined) return name;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text))
    throw new PlayError(`${JSON.stringify(text)} is not a number: write for example -1.5, 1e-3, inf or nan`);
  return rounderOf(dtype)(Number(text));
}
