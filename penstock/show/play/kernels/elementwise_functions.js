// Powers, exponentials, logarithms, functions of angles, activations: 4 units in the last place from NumPy's.

const logPlus = (a, b) => {
  if (a === b) return a + Math.LN2;
  const high = Math.max(a, b);
  return high === Infinity ? Infinity : high + Math.log1p(Math.exp(-Math.abs(a - b)));
};

// ---- complex functions, of numbers as pairs

const cExp = (a, b) => {
  const size = Math.exp(a);
  if (b === 0) return [size, b];
  if (size === 0 && !Number.isFinite(b)) return [0, 0];
  return [size * Math.cos(b), size * Math.sin(b)];
};
const cLog = (a, b) => [logOfSize(a, b), Math.atan2(b, a)];

// log |a + bi|: near the unit circle through log1p, where the size is close to 1.
function logOfSize(a, b) {
  const size = Math.hypot(a, b);
  if (!(size > 0.5 && size < 2)) return Math.log(size);
  const high = Math.max(Math.abs(a), Math.abs(b)), low = Math.min(Math.abs(a), Math.abs(b));
  return 0.5 * Math.log1p((high - 1) * (high + 1) + low * low);
}

function cSqrt(a, b) {
  if (a === 0 && b === 0) return [0, b];
  if (Math.abs(b) === Infinity) return [Infinity, b];
  if (a === -Infinity) return [b !== b ? NaN : 0, b < 0 || Object.is(b, -0) ? -Infinity : Infinity];
  if (a === Infinity) return [Infinity, b !== b ? NaN : b < 0 || Object.is(b, -0) ? -0 : 0];
  const size = Math.hypot(a, b);
  const wide = Math.sqrt((size + Math.abs(a)) / 2);
  const rest = Math.abs(b) / (2 * wide);
  const signed = (value) => (b < 0 || Object.is(b, -0) ? -value : value);
  return a >= 0 ? [wide, signed(rest)] : [rest, signed(wide)];
}

const cMul = (x, y) => complexProduct(x[0], x[1], y[0], y[1], sameNumber);
const cDiv = (x, y) => complexQuotient(x[0], x[1], y[0], y[1], sameNumber);
const cSinh = (a, b) => (b === 0 ? [Math.sinh(a), b] : [Math.sinh(a) * Math.cos(b), Math.cosh(a) * Math.sin(b)]);
const cCosh = (a, b) => (b === 0 ? [Math.cosh(a), a * b] : [Math.cosh(a) * Math.cos(b), Math.sinh(a) * Math.sin(b)]);

function cTanh(a, b) {
  if (Math.abs(a) > 22) return [Math.sign(a), 4 * Math.sin(b) * Math.cos(b) * Math.exp(-2 * Math.abs(a))];
  const tangent = Math.tan(b), beta = 1 + tangent * tangent, sine = Math.sinh(a);
  const rho = Math.sqrt(1 + sine * sine), scale = 1 + beta * sine * sine;
  if (!Number.isFinite(tangent)) return [rho / sine, 1 / tangent];
  return [(beta * rho * sine) / scale, tangent / scale];
}

// asinh(z) through real functions (Hull and others, 1997): Kahan's forms with sqrt(1 + iz) and sqrt(1 - iz).
function cAsinh(a, b) {
  const [p, q] = cSqrt(1 + b, -a), [r, s] = cSqrt(1 - b, a);
  return [Math.asinh(p * s - q * r), Math.atan2(b, p * r - q * s)];
}

function cAcos(a, b) {
  const [p, q] = cSqrt(1 - a, -b), [r, s] = cSqrt(1 + a, b);
  return [2 * Math.atan2(p, r), Math.asinh(r * q - s * p)];
}

function cAcosh(a, b) {
  const [p, q] = cSqrt(a - 1, b), [r, s] = cSqrt(a + 1, b);
  return [Math.asinh(p * r + q * s), 2 * Math.atan2(q, r)];
}

function cAtanh(a, b) {
  if (Math.abs(a) === 1 && b === 0) return [a * Infinity, b];
  const size = Math.abs(a);
  const real = 0.25 * Math.log1p((4 * size) / ((1 - size) * (1 - size) + b * b));
  return [a < 0 || Object.is(a, -0) ? -real : real, 0.5 * Math.atan2(2 * b, (1 - a) * (1 + a) - b * b)];
}

// f of (i z), turned back: sin(z) = -i sinh(i z).
const turned = (law) => (a, b) => {
  const [real, imaginary] = law(-b, a);
  return [imaginary, -real];
};

function cExpm1(a, b) {
  const half = Math.sin(b / 2);
  return [Math.expm1(a) * Math.cos(b) - 2 * half * half, Math.exp(a) * Math.sin(b)];
}

function cPow(a, b, c, d) {
  if (c === 0 && d === 0) return [1, 0];
  if (a === 0 && b === 0) return c > 0 ? [0, 0] : [NaN, NaN];
  if (d === 0 && Number.isInteger(c) && Math.abs(c) < 100) {
    let result = [1, 0], base = [a, b];
    for (let n = Math.abs(c); n; n = Math.floor(n / 2)) {
      if (n % 2) result = cMul(result, base);
      base = cMul(base, base);
    }
    return c < 0 ? cDiv([1, 0], result) : result;
  }
  return cExp(...cMul(cLog(a, b), [c, d]));
}

// ---- powers

function bigPower(base, exponent, bits) {
  let result = 1n, power = base;
  for (let n = exponent; n > 0n; n >>= 1n) {
    if (n & 1n) result = BigInt.asIntN(bits, result * power);
    power = BigInt.asIntN(bits, power * power);
  }
  return result;
}

// 1 to any power is 1, and -1 to an infinite one too: JavaScript has NaN for both.
const floatPower = (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b);

function noNegativePower(x, y) {
  if (isIntType(y.dtype) && y.data.some((power) => power < 0))
    throw new PlayError("Integers to negative integer powers are not allowed");
}

playBinary("Pow", {
  float: floatPower,
  int: (a, b) => (b < 0 ? 0 : Number(bigPower(BigInt(a), BigInt(b), 32))),
  big: (a, b) => bigPower(a, b, 64),
  complex: cPow,
  check: noNegativePower,
});
playUnary("Sqrt", { float: Math.sqrt, complex: cSqrt });
playUnary("Rsqrt", { float: (a, round) => 1 / round(Math.sqrt(a)), complex: (a, b, round) => reciprocalOfComplex(...cSqrt(a, b), sameNumber), once: true });

// ---- exponentials, circle, hyperbola

playUnary("Exp", { float: Math.exp, complex: cExp });
playUnary("Expm1", { float: Math.expm1, complex: cExpm1 });
playUnary("Log", { float: Math.log, complex: cLog });
playUnary("Log1p", { float: Math.log1p, complex: (a, b, round) => [Math.log(round(Math.hypot(round(a + 1), b))), Math.atan2(b, round(a + 1))] });
playUnary("Sin", { float: Math.sin, complex: turned(cSinh) });
playUnary("Cos", { float: Math.cos, complex: (a, b) => cCosh(-b, a) });
playUnary("Tan", { float: Math.tan, complex: turned(cTanh) });
playUnary("Asin", { float: Math.asin, complex: turned(cAsinh) });
playUnary("Acos", { float: Math.acos, complex: cAcos });
playUnary("Atan", { float: Math.atan, complex: turned(cAtanh) });
playUnary("Sinh", { float: Math.sinh, complex: cSinh });
playUnary("Cosh", { float: Math.cosh, complex: cCosh });
playUnary("Tanh", { float: Math.tanh, complex: cTanh });
playUnary("Asinh", { float: Math.asinh, complex: cAsinh });
playUnary("Acosh", { float: Math.acosh, complex: cAcosh });
playUnary("Atanh", { float: Math.atanh, complex: cAtanh });
playBinary("Atan2", { float: Math.atan2 });

// ---- error function: the polynomials of ops/elementwise/transcendental.py

const ERF_NEAR = [
  1.1283791670955126, -0.3761263890318375, 0.11283791670954882, -0.026866170645077334, 0.005223977624823223,
  -0.0008548326981129666, 0.00012055331122299266, -1.4925595519506043e-5, 1.6461004480962034e-6,
  -1.6350354461959655e-7, 1.4660051998394848e-8, -1.1373902296430911e-9, 5.958930743134941e-11,
];
const ERF_FAR = [
  0.17900115118138996, -0.3262335600430372, 0.24560380171233484, -0.15011593650077798, 0.07166583719747689,
  -0.02439249931897869, 0.004269136356764373, 0.0007077464683795443, -0.0005970624913315528,
  4.5254324753444315e-5, 6.406272093668428e-5, -1.2845673357286076e-5, -8.00928960121368e-6,
  2.0134932881269957e-6, 1.2742568627764978e-6, 2.2748538034632206e-9,
];
const polynomial = (coefficients, x) => coefficients.reduceRight((total, each) => total * x + each);

function erf(x) {
  if (x !== x) return NaN;
  const size = Math.min(Math.abs(x), 6), square = size * size;
  const found = size < 1 ? size * polynomial(ERF_NEAR, square) : 1 - Math.exp(-square) * polynomial(ERF_FAR, (size - 3) / (size + 3));
  return x < 0 || Object.is(x, -0) ? -found : found;
}
playUnary("Erf", { float: erf, once: true });

// ---- activations

const SELU_SCALE = 1.0507009873554805, SELU_FLOOR = 1.7580993408473768;

function sigmoidOfComplex(a, b) {
  const small = a < 0 ? cExp(a, b) : cExp(-a, -b);
  return cDiv(a < 0 ? small : [1, 0], [small[0] + 1, small[1]]);
}

playUnary("Relu", { float: (a) => (a > 0 || a !== a ? a : 0), int: (a) => (a > 0 ? a : 0), big: (a) => (a > 0n ? a : 0n), once: true });
playUnary("Relu6", { float: (a) => (a !== a ? a : a > 0 ? Math.min(a, 6) : 0), int: (a) => Math.min(Math.max(a, 0), 6), big: (a) => (a < 0n ? 0n : a > 6n ? 6n : a), once: true });
playUnary("Sigmoid", { float: (a, round) => 1 / round(round(Math.exp(-a)) + 1), complex: sigmoidOfComplex, once: true });
playUnary("Softplus", { float: (a) => logPlus(a, 0), once: true });
playUnary("Elu", { float: (a) => (a < 0 ? Math.expm1(a) : a), once: true });
playUnary("Selu", { float: (a, round) => (a < 0 ? round(Math.expm1(a)) * round(SELU_FLOOR) : a * round(SELU_SCALE)), once: true });
playUnary("Softsign", { float: (a, round) => a / round(Math.abs(a) + 1), once: true });
playBinary("ReluGrad", { float: (g, a) => (a > 0 ? g : g * 0), once: true });
playBinary("Relu6Grad", { float: (g, a) => (a > 0 && a < 6 ? g : g * 0), once: true });
playBinary("LeakyReluGrad", { float: (g, a, round, alpha) => (a > 0 ? g : g * round(Number(alpha))), once: true });
playUnary("LeakyRelu", { float: (a, round, alpha) => (a > 0 ? a : a * round(Number(alpha))), once: true });
