// Elementwise kernels: how a function of numbers becomes a kernel of tensors that broadcast.
//
// A law has one function for each kind of dtype: `float` (numbers), `int` (ints up to 32 bits, as numbers), `big` (64-bit
// ints, as BigInts; `int` serves if it is missing), `complex` (real and imaginary parts -> both), `bool`, `string`.
// What a function gives is rounded or wrapped to the result's dtype. `round`, its last argument, rounds what lies between.
// With `once`, 16-bit floats are computed in float32 and rounded at the end.

function lawFor(law, dtype) {
  const kind = kindOf(dtype);
  const names = { b: ["bool", "int"], s: ["string"], c: ["complex"], f: ["float"], i: ["int"], u: ["int"], v: [] }[kind];
  const wanted = isBigType(dtype) ? ["big", "int"] : names;
  const found = wanted.map((name) => law[name]).find(Boolean);
  if (!found) throw new PlayError(`no kernel for ${dtype} on this page`);
  return found;
}

// Rounds what an operation inside of a law gives.
const innerRounding = (law, dtype) => (law.once && isHalfType(dtype) ? Math.fround : rounderOf(dtype));

const outTypeOf = (law, dtype) => (law.out === undefined ? dtype : typeof law.out === "function" ? law.out(dtype) : law.out);

function mapUnary(law, x, attributes) {
  const call = lawFor(law, x.dtype);
  const made = zerosOf(outTypeOf(law, x.dtype), x.shape);
  const round = innerRounding(law, x.dtype);
  const from = x.data, to = made.data;
  if (isComplexType(x.dtype)) {
    const isComplex = isComplexType(made.dtype);
    for (let i = 0; i < from.length; i += 2) {
      const value = call(from[i], from[i + 1], round, ...attributes);
      if (isComplex) [to[i], to[i + 1]] = value;
      else to[i / 2] = value;
    }
  } else if (isHalfType(made.dtype)) {
    const last = rounderOf(made.dtype);
    for (let i = 0; i < from.length; i++) to[i] = last(call(from[i], round, ...attributes));
  } else for (let i = 0; i < from.length; i++) to[i] = call(from[i], round, ...attributes);
  return made;
}

function mapBinary(law, x, y, attributes = []) {
  const shape = broadcastShapes(x.shape, y.shape);
  const call = lawFor(law, x.dtype);
  const made = zerosOf(outTypeOf(law, x.dtype), shape);
  const left = broadcastPlaces(x.shape, shape), right = broadcastPlaces(y.shape, shape);
  const a = x.data, b = y.data, to = made.data, round = innerRounding(law, x.dtype);
  const count = sizeOfShape(shape);
  const isComplex = isComplexType(x.dtype);
  const makesComplex = isComplexType(made.dtype);
  const last = isHalfType(made.dtype) ? rounderOf(made.dtype) : null;
  for (let i = 0; i < count; i++) {
    const m = left === null ? i : left[i], n = right === null ? i : right[i];
    if (isComplex) {
      const value = call(a[2 * m], a[2 * m + 1], b[2 * n], b[2 * n + 1], round, ...attributes);
      if (makesComplex) [to[2 * i], to[2 * i + 1]] = value;
      else to[i] = value;
    } else if (makesComplex) {
      [to[2 * i], to[2 * i + 1]] = call(a[m], b[n], round, ...attributes);
    } else if (last !== null) to[i] = last(call(a[m], b[n], round, ...attributes));
    else to[i] = call(a[m], b[n], round, ...attributes);
  }
  return made;
}

function playUnary(type, law) {
  const kernel = { run: ([x, ...attributes]) => [mapUnary(law, x, attributes)], law, isElementwise: true };
  playOp(type, kernel);
}

// `check`, if the law has one, looks at the operands first and throws where the op fails.
function playBinary(type, law) {
  const run = ([x, y, ...attributes]) => {
    const made = mapBinary(law, x, y, attributes);
    if (law.check && sizeOf(made)) law.check(x, y);
    return [made];
  };
  playOp(type, { run, law, isElementwise: true });
}
