// Arithmetic, comparisons, logic and casts, element by element. Ints wrap around; only a division by zero and a negative
// power of an int are errors.

const complexProduct = (a, b, c, d, round) => [round(a * c) - round(b * d), round(a * d) + round(b * c)];

// Smith's division, as NumPy divides: no overflow where the quotient is in range.
function complexQuotient(a, b, c, d, round) {
  if (Math.abs(c) >= Math.abs(d)) {
    if (c === 0 && d === 0) return [a / Math.abs(c), b / Math.abs(c)];
    const ratio = round(d / c);
    const scale = round(1 / round(c + round(d * ratio)));
    return [round(a + round(b * ratio)) * scale, round(b - round(a * ratio)) * scale];
  }
  const ratio = round(c / d);
  const scale = round(1 / round(d + round(c * ratio)));
  return [round(round(a * ratio) + b) * scale, round(round(b * ratio) - a) * scale];
}

playBinary("Add", { float: (a, b) => a + b, int: (a, b) => a + b, string: (a, b) => a + b, complex: (a, b, c, d) => [a + c, b + d] });
playBinary("Sub", { float: (a, b) => a - b, int: (a, b) => a - b, complex: (a, b, c, d) => [a - c, b - d] });
playBinary("Mul", { float: (a, b) => a * b, int: Math.imul, big: (a, b) => a * b, complex: complexProduct });
playBinary("RealDiv", { float: (a, b) => a / b, complex: complexQuotient });
playUnary("Neg", { float: (a) => -a, int: (a) => -a, complex: (a, b) => [-a, -b] });
playUnary("Square", { float: (a) => a * a, int: (a) => Math.imul(a, a), big: (a) => a * a, complex: (a, b, round) => complexProduct(a, b, a, b, round) });
playUnary("Reciprocal", { float: (a) => 1 / a, complex: reciprocalOfComplex });
playBinary("SquaredDifference", {
  float: (a, b, round) => round(a - b) ** 2,
  int: (a, b) => Math.imul(a - b, a - b),
  big: (a, b) => (a - b) * (a - b),
  complex: (a, b, c, d, round) => [round(round(a - c) ** 2) + round(round(b - d) ** 2), 0],
});

function reciprocalOfComplex(a, b, round) {
  if (Math.abs(b) <= Math.abs(a)) {
    const ratio = round(b / a);
    const scale = round(a + round(b * ratio));
    return [1 / scale, -ratio / scale];
  }
  const ratio = round(a / b);
  const scale = round(round(a * ratio) + b);
  return [ratio / scale, -1 / scale];
}

playOp("AddN", {
  isElementwise: true,
  run([inputs]) {
    inputs.forEach((each, i) => {
      if (!sameShape(each.shape, inputs[0].shape))
        throw new PlayError(`Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: ${spaced(inputs[0].shape)} != input ${i}: ${spaced(each.shape)}`);
    });
    const { law } = PLAY_KERNELS.get("Add");
    return [inputs.reduce((sum, each) => mapBinary(law, sum, each))];
  },
});

const spaced = (shape) => `[${shape.join(", ")}]`;

playOp("BiasAdd", {
  isElementwise: true,
  run([value, bias]) {
    if (value.shape.length < 2) throw new PlayError(`Input tensor must be at least 2D: ${listed(value.shape)}`);
    if (bias.shape.length !== 1) throw new PlayError(`Biases must be 1D: ${listed(bias.shape)}`);
    if (bias.shape[0] !== value.shape[value.shape.length - 1])
      throw new PlayError(`Must provide as many biases as the last dimension of the input tensor: ${listed(bias.shape)} vs. ${listed(value.shape)}`);
    return [mapBinary(PLAY_KERNELS.get("Add").law, value, bias)];
  },
});

// ---- division of ints, remainders

function noZeroDivisor(x, y) {
  if (isIntType(y.dtype) && y.data.some((divisor) => !divisor)) throw new PlayError("Integer division by zero");
}

function floorDivideBig(a, b) {
  if (!b) return 0n;
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function floorModBig(a, b) {
  if (!b) return 0n;
  const rest = a % b;
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
}

// The remainder has the sign of the divisor; a zero has it too.
function floorMod(a, b, round) {
  const rest = a % b;
  if (!b) return rest;
  if (rest === 0) return b < 0 || Object.is(b, -0) ? -0 : 0;
  return b < 0 !== rest < 0 ? round(rest + b) : rest;
}

const floorModOfInts = (a, b) => (b ? ((a % b) + b) % b : 0);

playBinary("FloorDiv", { float: (a, b, round) => Math.floor(round(a / b)), int: (a, b) => (b ? Math.floor(a / b) : 0), big: floorDivideBig, check: noZeroDivisor });
playBinary("FloorMod", { float: floorMod, int: floorModOfInts, big: floorModBig, check: noZeroDivisor });

const complexZeroOr = (law) => (a, b, c, d, round) => (c === 0 && d === 0 ? [0, 0] : law(a, b, c, d, round));
playBinary("MulNoNan", { float: (a, b) => (b === 0 ? 0 : a * b), complex: complexZeroOr(complexProduct) });
playBinary("DivNoNan", { float: (a, b) => (b === 0 ? 0 : a / b), complex: complexZeroOr(complexQuotient) });

// ---- order and sign

// NaN where either is NaN; of two zeros the second, as x86 processors take it.
playBinary("Maximum", { float: (a, b) => (a > b || a !== a ? a : b), int: (a, b) => (a > b ? a : b) });
playBinary("Minimum", { float: (a, b) => (a < b || a !== a ? a : b), int: (a, b) => (a < b ? a : b) });
playUnary("Abs", { float: Math.abs, int: Math.abs, big: (a) => (a < 0n ? -a : a), complex: (a, b) => Math.hypot(a, b), out: realTypeOf });
playUnary("Sign", {
  float: (a, round) => (a > 0 ? 1 : a < 0 ? -1 : a === 0 && round !== roundToBfloat16 ? 0 : a), // -0 stays in bfloat16
  int: (a) => (a > 0 ? 1 : a < 0 ? -1 : 0),
  big: (a) => (a > 0n ? 1n : a < 0n ? -1n : 0n),
  complex(a, b, round) {
    const size = round(Math.hypot(a, b)) || 1;
    return [a / size, b / size];
  },
});

// ---- comparisons

const comparison = (compare) => ({ float: compare, int: compare, bool: compare, string: compare, out: "bool" });
playBinary("Equal", { ...comparison((a, b) => a === b), complex: (a, b, c, d) => a === c && b === d });
playBinary("NotEqual", { ...comparison((a, b) => a !== b), complex: (a, b, c, d) => a !== c || b !== d });
playBinary("Less", comparison((a, b) => a < b));
playBinary("LessEqual", comparison((a, b) => a <= b));
playBinary("Greater", comparison((a, b) => a > b));
playBinary("GreaterEqual", comparison((a, b) => a >= b));

// ---- logic and bits

playBinary("LogicalAnd", { bool: (a, b) => a & b });
playBinary("LogicalOr", { bool: (a, b) => a | b });
playBinary("LogicalXor", { bool: (a, b) => a ^ b });
playUnary("LogicalNot", { bool: (a) => 1 - a });
playBinary("BitwiseAnd", { int: (a, b) => a & b });
playBinary("BitwiseOr", { int: (a, b) => a | b });
playBinary("BitwiseXor", { int: (a, b) => a ^ b });
playUnary("Invert", { int: (a) => ~a });

// ---- rounding, tests for NaN and infinity

playUnary("Floor", { float: Math.floor });
playUnary("Ceil", { float: Math.ceil });
playUnary("Rint", { float: roundHalfToEven });
playUnary("Round", { float: roundHalfToEven, int: (a) => a });
playUnary("IsNan", { float: (a) => a !== a, out: "bool" });
playUnary("IsInf", { float: (a) => Math.abs(a) === Infinity, out: "bool" });
playUnary("IsFinite", { float: (a) => Math.abs(a) < Infinity, out: "bool" });

playOp("CheckNumerics", {
  isElementwise: true,
  run([tensor, message]) {
    const found = [];
    if (tensor.data.some((value) => Math.abs(value) === Infinity)) found.push("Inf");
    if (tensor.data.some((value) => value !== value)) found.push("NaN");
    if (found.length) throw new PlayError(`${message} : Tensor had ${found.join(" and ")} values`);
    return [tensor];
  },
});

// ---- complex numbers as pairs

playBinary("Complex", { float: (a, b) => [a, b], out: (dtype) => (dtype === "float32" ? "complex64" : "complex128") });
playUnary("Conj", { complex: (a, b) => [a, -b], float: (a) => a, int: (a) => a });
playUnary("Real", { complex: (a) => a, out: realTypeOf });
playUnary("Imag", { complex: (a, b) => b, out: realTypeOf });

// ---- choice

playOp("Select", {
  isElementwise: true,
  run([condition, t, e]) {
    const shape = t.shape;
    const differ = (i, one, j, other) =>
      new PlayError(`Inputs to operation Select of type Select must have the same size and shape.  Input ${i}: ${spaced(one.shape)} != input ${j}: ${spaced(other.shape)}`);
    if (!sameShape(shape, e.shape)) throw differ(0, t, 2, e);
    const isWhole = condition.shape.length === 0;
    if (!isWhole && !sameShape(condition.shape, shape)) {
      if (condition.shape.length !== 1 || !shape.length) throw differ(0, condition, 1, t);
      if (condition.shape[0] !== shape[0])
        throw new PlayError(`Number of batches of 'then' must match size of 'cond', but saw: ${shape[0]} vs. ${condition.shape[0]}`);
    }
    const count = sizeOf(t);
    const width = isWhole ? count : count / Math.max(sizeOf(condition), 1);
    const made = zerosOf(t.dtype, shape);
    const parts = partsOf(t.dtype);
    for (let i = 0; i < count; i++) copyRow(made.data, i, (condition.data[isWhole ? 0 : Math.floor(i / width)] ? t : e).data, i, parts);
    return [made];
  },
});

// ---- casts

playOp("Cast", { isElementwise: true, run: ([x, { dtype }]) => [castTensor(x, dtype)] });

function castTensor(x, dtype) {
  if (x.dtype === dtype) return x;
  const made = zerosOf(dtype, x.shape);
  const step = partsOf(x.dtype), parts = partsOf(dtype);
  const convert = conversion(x.dtype, dtype);
  const isBothComplex = step === 2 && parts === 2;
  const count = sizeOf(x);
  if (isBothComplex) for (let i = 0; i < 2 * count; i++) made.data[i] = x.data[i];
  else for (let i = 0; i < count; i++) made.data[i * parts] = convert(x.data[i * step]);
  return made;
}

// The function from an element, or the real part of one, to an element of another dtype.
function conversion(source, dtype) {
  const real = realTypeOf(source), target = realTypeOf(dtype);
  if (dtype === "bool") return (value) => (value ? 1 : 0) || (value !== value ? 1 : 0);
  if (isIntType(dtype)) {
    if (isFloatType(real)) return (value) => floatToInt(value, dtype);
    return isBigType(dtype) ? (value) => BigInt(value) : isBigType(real) ? (value) => Number(BigInt.asIntN(32, value)) : sameNumber;
  }
  const round = rounderOf(target);
  if (!isBigType(real)) return round;
  return target === "float64" ? Number : (value) => round(bigToFloat32(value));
}
