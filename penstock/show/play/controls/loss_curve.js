// Many runs at once, and the curve of a number that is fetched over the runs: that of the loss, for a graph that trains.

const MANY_RUNS = 50, CURVE_WIDTH = 170, CURVE_HEIGHT = 30, RUN_PAUSE = 24; // milliseconds, where motion is wanted
let curve = []; // [{run, value}]; a new list for each change, so that a moment keeps one

// The first fetch that is one number; null if there is none.
function curvedFetch() {
  return (fetchesNow || ASKED).find((name) => {
    const tensor = tensorAt(placeOfName(name));
    return tensor && !tensor.shape.length && ["f", "i"].includes(kindOf(tensor.dtype));
  }) || null;
}

// Notes the number of this run; an edit in the same run changes it.
function noteRun() {
  const name = curvedFetch(), tensor = name && tensorAt(placeOfName(name));
  if (tensor) curve = [...curve.filter(({ run }) => run < player.runs), { run: player.runs, value: Number(tensor.data[0]) }];
}

function* runMany(count) {
  let report = null, next = performance.now();
  for (let i = 0; i < count; i++) {
    edits = [...edits, ["", 0, "run"]];
    report = yield* runAgain(player);
    noteRun();
    if (report.failed !== null) break;
    if (stillWanted.matches) { yield; continue; }
    showRunning();
    for (next += RUN_PAUSE; performance.now() < next;) yield;
  }
  return { ...report, isRun: true };
}

// What a run in the middle of many shows: cells, tables, the curve.
function showRunning() {
  for (const spot of drawnCells.values()) showCells(spot);
  showTables();
  showCurve();
}

// ---- the drawing

function showCurve() {
  const chart = document.getElementById("curve"), says = document.getElementById("run-count");
  if (says) says.textContent = `run ${player.runs + 1}`;
  if (!chart) return;
  const shown = curve.filter(({ value }) => Number.isFinite(value)), last = curve[curve.length - 1];
  chart.toggleAttribute("hidden", curve.length < 2);
  if (curve.length < 2 || !last) return;
  const name = curvedFetch() || "", values = shown.map(({ value }) => value), low = Math.min(...values), high = Math.max(...values);
  const isSteep = low > 0 && high > 30 * low, scale = isSteep ? Math.log : (value) => value, most = Math.max(...curve.map(({ run }) => run), 1);
  const x = (run) => 2 + (run / most) * (CURVE_WIDTH - 4);
  const y = (value) => (high > low ? CURVE_HEIGHT - 3 - ((scale(value) - scale(low)) / (scale(high) - scale(low))) * (CURVE_HEIGHT - 6) : CURVE_HEIGHT / 2);
  const points = shown.map(({ run, value }) => `${x(run).toFixed(1)},${y(value).toFixed(1)}`);
  const end = shown[shown.length - 1], text = `${name.replace(/:0$/, "")} = ${numberText(last.value)}`;
  const tip = `${name} in ${curve.length} runs: ${numberText(curve[0].value)} to ${numberText(last.value)}${isSteep ? " (logarithmic scale)" : ""}`;
  chart.firstChild.replaceChildren(shape("title", {}, tip), shape("polyline", { points: points.join(" ") }),
    ...(end ? [shape("circle", { cx: x(end.run), cy: y(end.value), r: 2.6 })] : []));
  chart.lastChild.textContent = text;
  chart.setAttribute("aria-label", tip);
}

const curveChart = () => element("span", { id: "curve", role: "img", hidden: true },
  shape("svg", { width: CURVE_WIDTH, height: CURVE_HEIGHT, viewBox: `0 0 ${CURVE_WIDTH} ${CURVE_HEIGHT}` }), element("span", {}));
