// Ops that only move elements: one function tells, for each result, from which element of which operand each element
// comes. What the op computes and where its elements go both follow from it, so the picture cannot differ from the value.
//
//   playMove("Tile", (input, multiples) => [{ shape, from }])
//
//   shape   of the result
//   from    for each element of the result the number of an element of an operand, -1 for an element that is filled with
//           0, false or ""; null where all elements keep their order
//   of      the operand that `from` counts in, as `operandsOf` counts operands: one number (0 without it), or one for each
//           element
//   dtype   of the result; without it that of operand `of`

function playMove(type, places) {
  playOp(type, {
    run(args) {
      const operands = operandsOf(args);
      return places(...args).map((each) => movedTensor(operands, each));
    },
    moves: (args) => places(...args).map(originsOf),
    places,
  });
}

function movedTensor(operands, { shape, from, of = 0, dtype = null }) {
  const isSingle = typeof of === "number";
  if (from === null) return withShape(operands[of], shape);
  const made = zerosOf(dtype || operands[isSingle ? of : 0].dtype, shape);
  const parts = partsOf(made.dtype);
  for (let i = 0; i < from.length; i++) {
    if (from[i] < 0) continue;
    const source = operands[isSingle ? of : of[i]].data;
    if (parts === 1) made.data[i] = source[from[i]];
    else copyRow(made.data, i, source, from[i], parts);
  }
  return made;
}

// [operand, element] for each element, null for one that is filled.
function originsOf({ shape, from, of = 0 }) {
  if (from === null) return Array.from({ length: sizeOfShape(shape) }, (_, i) => [of, i]);
  return Array.from(from, (element, i) => (element < 0 ? null : [typeof of === "number" ? of : of[i], element]));
}

// ---- places

// The elements of an operand that a walk over `shape` meets, with a step in elements for each dimension.
function steppedPlaces(shape, steps, start = 0) {
  const places = new Int32Array(sizeOfShape(shape));
  const at = new Array(shape.length).fill(0);
  let place = start;
  for (let i = 0; i < places.length; i++) {
    places[i] = place;
    for (let d = shape.length - 1; d >= 0; d--) {
      place += steps[d];
      if (++at[d] < shape[d]) break;
      place -= steps[d] * shape[d];
      at[d] = 0;
    }
  }
  return places;
}

// Rows of `width` elements: row i of the result is row rows[i] of the operand, or filled where that is -1.
function rowPlaces(rows, width) {
  const places = new Int32Array(rows.length * width);
  for (let i = 0; i < rows.length; i++)
    for (let j = 0; j < width; j++) places[i * width + j] = rows[i] < 0 ? -1 : rows[i] * width + j;
  return places;
}

const countTo = (count) => Int32Array.from({ length: count }, (_, i) => i);

// ---- arguments

const rankOf = (tensor) => tensor.shape.length;

function requireScalar(tensor, label, allowsVector = false) {
  if (rankOf(tensor) && !(allowsVector && sameShape(tensor.shape, [1])))
    throw new PlayError(`${label} must be a scalar, but has shape ${listed(tensor.shape)}`);
}

function oneNumber(tensor, label = "value", allowsVector = false) {
  requireScalar(tensor, label, allowsVector);
  return Number(tensor.data[0]);
}

// Sizes that an operand holds, none negative.
function sizesIn(tensor) {
  const sizes = numbersOf(tensor);
  const bad = sizes.find((size) => size < 0);
  if (bad !== undefined) throw new PlayError(`Dimension ${bad} must be >= 0`);
  return sizes;
}

const MOST_ELEMENTS = 1 << 24;

// `sizes`, if a page can hold a result of this shape.
function possibleSizes(sizes, itemSize = 8) {
  if (sizes.reduce((bytes, size) => bytes * (size || 1), itemSize) > 2 ** 63)
    throw new PlayError(`a result of shape ${listed(sizes)} would have more than 2**63 - 1 bytes; no array is so large`);
  if (sizeOfShape(sizes) > MOST_ELEMENTS)
    throw new PlayError(`a result of shape ${listed(sizes)} has more than ${MOST_ELEMENTS} elements, too many for this page`);
  return sizes;
}

// indices[1,2]: how messages name the element with number `flat` of an operand.
const entryText = (what, shape, flat) => (shape.length ? what + listed(placeOf(flat, shape)) : what);

// PlayError unless every entry of an index is in [0, size).
function checkRange(what, index, size) {
  const bad = index.data.findIndex((entry) => entry < 0 || entry >= size);
  if (bad >= 0) throw new PlayError(`${entryText(what, index.shape, bad)} = ${index.data[bad]} is not in [0, ${size})`);
}
