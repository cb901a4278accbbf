// The elements of a TensorArray, which a tensor of dtype variant holds; see ops/tensor_array/array_elements.py.
//
//   {facts, size, shape, entries}    facts: {dtype, dynamic, identical, sums, label} of all values of one TensorArray;
//                                    shape: what is known of an element's; entries: index -> tensor, null where cleared
//
// A variant holds such elements, a tensor, or null: nothing, as a gradient zero. None of them ever changes.

const boxed = (content) => tensorOf("variant", [], [content]);
const isElements = (content) => content !== null && "entries" in content;

function contentOf(box) {
  if (box.shape.length) requireScalar(box, "the variant", true);
  return box.data[0];
}

function describedContent(content) {
  if (content === null) return "nothing";
  if (isElements(content)) return contentText(content);
  return `an array of ${content.dtype} ${listed(content.shape)}`;
}

function requireElements(content) {
  if (content === null || !isElements(content)) throw new PlayError(`the variant holds ${describedContent(content)}, not a TensorArray's elements`);
  return content;
}

const elementsOf = (box) => requireElements(contentOf(box));
const newElements = (facts, size, shape) => ({ facts, size, shape, entries: new Map() });
const arrayError = (elements, text) => new PlayError(`TensorArray ${elements.facts.label}: ${text}`);
const fitsShape = (sizes, shape) => shape === null || (sizes.length === shape.length && shape.every((size, d) => typeof size !== "number" || size === sizes[d]));
const sizesText = (shape) => (shape === null ? "<unknown>" : listed(shape.map((size) => (typeof size === "number" ? size : "?"))));
const knownSizes = (shape) => (shape !== null && shape.every((size) => typeof size === "number") ? shape : null);
const firstTypeName = (dtype) => ({ float16: "half", float32: "float", float64: "double" })[dtype] || dtype;

// The elements with these `[index, tensor]` written.
function withElements(elements, values) {
  let { facts, size, shape } = elements;
  const entries = new Map(elements.entries);
  for (const [index, value] of values) {
    checkWrite({ facts, size, shape }, index, value);
    entries.set(index, entries.has(index) ? secondValue(elements, index, entries.get(index), value) : value);
    size = Math.max(size, index + 1);
    if (facts.identical) shape = value.shape;
  }
  return { facts, size, shape, entries };
}

// A further value for an element is added to it, where elements are sums.
function secondValue(elements, index, before, value) {
  if (before === null && elements.facts.sums) return value;
  const could = `Could not write to TensorArray index ${index} because it has already been`;
  if (before === null) throw arrayError(elements, `${could} read.`);
  if (!elements.facts.sums) throw arrayError(elements, `${could} written to.`);
  if (!sameShape(value.shape, before.shape))
    throw arrayError(elements, `Could not aggregate to TensorArray index ${index} because the existing shape is ${listed(before.shape)} but the new input shape is ${listed(value.shape)}.`);
  return PLAY_KERNELS.get("Add").run([before, value], {})[0];
}

function checkWrite(elements, index, value) {
  const { facts, size, shape } = elements;
  if (index < 0 || (index >= size && !facts.dynamic))
    throw arrayError(elements, `Tried to write to index ${index} but array is ${facts.dynamic ? "" : "not "}resizeable and size is: ${size}`);
  if (value.dtype !== facts.dtype)
    throw new PlayError(`TensorArray dtype is ${firstTypeName(facts.dtype)} but Op is trying to write dtype ${firstTypeName(value.dtype)}.`);
  if (!fitsShape(value.shape, shape))
    throw arrayError(elements, `Could not write to TensorArray index ${index} because the value shape is ${listed(value.shape)} which is incompatible with the TensorArray's inferred element shape: ${sizesText(shape)} (consider setting infer_shape=False).`);
}

// One element; zeros if it was not written and its shape is known, here or to who reads.
function readElement(elements, index, shape = elements.shape) {
  if (index < 0 || index >= elements.size) throw new PlayError(`Tried to read from index ${index} but array size is: ${elements.size}`);
  const found = elements.entries.get(index);
  if (found) return found;
  if (found === null) throw readTwice(elements, index);
  const sizes = knownSizes(shape);
  if (sizes === null)
    throw arrayError(elements, `Could not read from TensorArray index ${index}: it was not written, and the element shape is not fully defined: ${sizesText(elements.shape)}. With a full element_shape it would be zeros.`);
  return zerosOf(elements.facts.dtype, sizes);
}

const readTwice = (elements, index) =>
  arrayError(elements, `Could not read index ${index} twice because it was cleared after a previous read (perhaps try setting clear_after_read = false?).`);

function shapeOfNone(shape) {
  const sizes = knownSizes(shape);
  if (sizes === null)
    throw new PlayError(`TensorArray has size zero, but element shape ${sizesText(shape)} is not fully defined. Currently only static shapes are supported when packing zero-size TensorArrays.`);
  return sizes;
}

// An error where what is read is not what was known of it while the graph was built.
function checkRead(elements, found, dtype, shape) {
  if (elements.facts.dtype !== dtype) throw arrayError(elements, `its elements are ${elements.facts.dtype}, but ${dtype} is read`);
  if (!fitsShape(found.shape, shape)) throw arrayError(elements, `an element has shape ${listed(found.shape)}, but ${sizesText(shape)} is read`);
}

// ---- where elements come from

// An element of a TensorArray's element has the cell "index:number". For each of them in `box` what `own(index, number)`
// says, by cell.
function movesOfElements(box, own) {
  const found = {}, content = box.data[0];
  if (content === null || !isElements(content)) return found;
  for (const [index, value] of content.entries)
    if (value !== null) for (let i = 0; i < sizeOf(value); i++) found[`${index}:${i}`] = own(index, i);
  return found;
}

// What was there before stays; elements that are sums are made of both.
function movesOfWrites(array, made, written) {
  const before = movesOfElements(array, () => true);
  return movesOfElements(made, (index, i) => [...(before[`${index}:${i}`] ? [[0, `${index}:${i}`]] : []), ...written(index, i)]);
}

// Rows out of a TensorArray: row r is the element at places[r].
function movesOfRows(made, places) {
  const width = made.shape[0] ? sizeOf(made) / made.shape[0] : 0;
  return Array.from({ length: sizeOf(made) }, (_, cell) => [0, `${places[Math.floor(cell / width)]}:${cell % width}`]);
}

// Rows of operand `operand` that become the elements at `places`.
function movesIntoRows(operand, value, places) {
  const width = value.shape[0] ? sizeOf(value) / value.shape[0] : 0;
  return (index, i) => places.flatMap((place, row) => (place === index ? [[operand, row * width + i]] : []));
}

// Consecutive parts of operand `operand`, by their index.
function movesIntoParts(operand, value, lengths) {
  const width = value.shape[0] ? sizeOf(value) / value.shape[0] : 0, starts = [];
  let start = 0;
  for (const length of numbersOf(lengths)) { starts.push(start * width); start += length; }
  return (index, i) => [[operand, starts[index] + i]];
}

// Parts out of a TensorArray, one behind the other.
function movesOfParts(made, sizes) {
  const found = [];
  sizes.forEach((size, index) => { for (let i = 0; i < size; i++) found.push([0, `${index}:${i}`]); });
  return found.length === sizeOf(made) ? found : null;
}

const everyPlace = (elements) => Array.from({ length: elements.size }, (_, i) => i);

// ---- rows and parts

// The index of each row of `value`.
function placesOfRows(value, indices) {
  if (indices !== null && rankOf(indices) !== 1) throw new PlayError(`indices must be a vector, not of shape ${listed(indices.shape)}`);
  const count = value.shape[0];
  if (!value.shape.length || (indices !== null && sizeOf(indices) !== count))
    throw new PlayError(`the value has shape ${listed(value.shape)}; it needs a row for each of ${indices === null ? "the elements" : `${sizeOf(indices)} indices`}`);
  return indices === null ? Array.from({ length: count }, (_, i) => i) : numbersOf(indices);
}

const rowTensors = (value) => Array.from({ length: value.shape[0] }, (_, at) => rowOf(value, at));

// Consecutive groups of rows of the given lengths.
function partsOfRows(value, lengths) {
  if (!value.shape.length) throw new PlayError("Expected value to be at least a vector, but received shape: []");
  const counts = numbersOf(lengths), total = counts.reduce((sum, count) => sum + count, 0);
  if (total !== value.shape[0] || counts.some((count) => count < 0))
    throw new PlayError(`Expected sum of lengths to be equal to values.shape[0], but sum of lengths is ${total} and value's shape is: ${listed(value.shape)}`);
  const rest = value.shape.slice(1), width = sizeOfShape(rest) * partsOf(value.dtype);
  let start = 0;
  return counts.map((count) => tensorOf(value.dtype, [count, ...rest], value.data.slice(start * width, (start += count) * width)));
}

// Tensors one behind the other, as one of that shape.
function joinedData(values, dtype, shape) {
  const made = zerosOf(dtype, shape);
  let at = 0;
  for (const { data } of values) for (const each of data) made.data[at++] = each;
  return made;
}
