// Edits and what follows them: undo, redo, reset, running again, another plan, other fetches.
//
// A *moment* is all that the reader can change: feeds, variables, the number of runs, and the list of edits from which a
// link makes it again. Tensors are never changed in place, so a moment costs a few references.

let moments = [], later = [], edits = []; // moments to go back to, those undone, and the edits so far
let working = false; // a long computation runs in pieces
const waitingWork = [];

const momentNow = () => ({ feeds: new Map(player.feeds), variables: new Map(player.variables), runs: player.runs, streams: player.streams, inner: player.inner, edits, curve });

// Runs `work`, a generator that changes the frame, and shows what it changed. Work that comes meanwhile waits.
function compute(work, whenShown = () => {}) {
  waitingWork.push([work, whenShown]);
  if (!working) computeNext();
}

function computeNext() {
  const next = waitingWork.shift();
  if (!next) return;
  working = true;
  const [work, whenShown] = next, before = { inUse: player.inUse, values: player.frame ? player.frame.values.slice() : [] };
  finishInChunks(work(), (report) => {
    working = false;
    showComputed(before, report);
    whenShown(report);
    computeNext();
  });
  if (working) announce("computing \u2026");
}

function keepMoment() {
  moments = [...moments, momentNow()].slice(-200);
  later = [];
}

// Another value for one element of a feed, a constant or a variable. Throws a PlayError where the text does not fit.
function editCell(name, cell, text) {
  const key = editedAs(name), before = tensorAt(placeOfName(name)), wanted = withCell(before, cell, text);
  if (!changedCells(before, wanted).length) return;
  keepMoment();
  edits = withEdit(edits, [key, cell, kindOf(wanted.dtype) === "s" ? text : elementText(wanted, cell)]);
  compute(function* () {
    const report = yield* editPlay(player, [[key, withCell(valueOfKey(key), cell, text)]]);
    noteRun();
    return report;
  });
}

const valueOfKey = (key) => player.feeds.get(key) || player.variables.get(key) || player.inner.get(key);

// The list with one more edit; an earlier one of the same cell is dropped, if the graph did not run again since.
function withEdit(list, edit) {
  const ran = list.findLastIndex(([key]) => key === "");
  return [...list.filter(([key, cell], at) => at < ran || key !== edit[0] || cell !== edit[1]), edit];
}

// Makes the play as it was at a moment.
function* returnTo(moment) {
  const changed = [];
  for (const [name, tensor] of moment.feeds) if (player.feeds.get(name) !== tensor) changed.push([name, tensor]);
  for (const [name, tensor] of moment.variables) if (player.variables.get(name) !== tensor) changed.push([name, tensor]);
  for (const [name, tensor] of moment.inner) if (player.inner.get(name) !== tensor) changed.push([name, tensor]);
  player.runs = moment.runs;
  edits = moment.edits;
  curve = moment.curve;
  const report = player.streams === moment.streams ? yield* editPlay(player, changed) : yield* drawAnew(player, moment.streams, changed);
  noteRun();
  return report;
}

function undoEdit() {
  if (!moments.length || working) return;
  later = [...later, momentNow()];
  const moment = moments[moments.length - 1];
  moments = moments.slice(0, -1);
  compute(() => returnTo(moment), () => announce(`undone; ${summaryOfChange()}`));
}

function redoEdit() {
  if (!later.length || working) return;
  moments = [...moments, momentNow()];
  const moment = later[later.length - 1];
  later = later.slice(0, -1);
  compute(() => returnTo(moment), () => announce(`done again; ${summaryOfChange()}`));
}

function resetEdits() {
  if (!edits.length && !player.runs) return;
  keepMoment();
  edits = [];
  const first = { feeds: new Map(DATA.play.feeds.map(([name, made]) => [name, tensorOnce(made)])), variables: new Map(player.first), runs: 0, streams: player.firstStreams, inner: firstInner(DATA.play.plans.written), edits: [], curve: [] };
  compute(() => returnTo(first), () => announce("all edits are taken back"));
}

const runsDiffer = DATA.play.variables.length > 0 || DATA.play.streams.length > 0; // another run may give other numbers

// One more run, on what the last one wrote.
function runOnce() {
  keepMoment();
  compute(() => runMany(1), () => announce(`run ${player.runs + 1}: ${summaryOfChange()}`));
}

// A moment holds all of them: undo takes them back at once.
function runManyTimes() {
  if (working) return;
  keepMoment();
  compute(() => runMany(MANY_RUNS), () => announce(`run ${player.runs + 1}: ${summaryOfChange()}`));
}

// ---- plans and fetches

let fetchesNow = null; // the names of the chosen fetches; null for those that were asked for

function* runWanted() {
  startRun(player);
  player.wanted = wantedSteps();
  const failed = yield* runPlan(player.frame, undefined, player.wanted);
  noteRun();
  return { changed: new Map(), ran: [], failed, isNew: true };
}

function choosePlan(name) {
  player.plan = name;
  compute(runWanted, () => announce(name === "written" ? "the graph as written runs" : "the optimised plan runs"));
}

function chooseFetches(names) {
  fetchesNow = names;
  compute(runWanted, () => announce(names ? `fetched: ${names.join(", ")}` : "all fetches"));
}

// The edits of a link, one after the other; what does not fit is left out. Each can be undone.
function* repeatEdits(list) {
  let report = { changed: new Map(), ran: [], failed: null };
  for (const [key, cell, text] of list) {
    const before = momentNow();
    if (key === "") {
      report = yield* runAgain(player);
      edits = [...edits, [key, cell, text]];
      noteRun();
      if (!(moments.length && moments[moments.length - 1].isRun)) moments = [...moments, { ...before, isRun: true }]; // runs are taken back at once
      continue;
    }
    const tensor = valueOfKey(key);
    if (!tensor || !(cell >= 0 && cell < sizeOf(tensor))) continue;
    try {
      const made = withCell(tensor, cell, text);
      report = yield* editPlay(player, [[key, made]]);
      edits = withEdit(edits, [key, cell, text]);
      moments = [...moments, before].slice(-200);
      noteRun();
    } catch (error) {
      if (!(error instanceof PlayError)) throw error;
    }
  }
  return { ...report, isNew: true };
}
