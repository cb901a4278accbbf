// Playing the run: one step after another, and the scopes in which they happen.

const SLOWEST = 700, FASTEST = 60, WHOLE = 12000; // milliseconds for a step, and for all steps
let playTimer = 0, seenBefore = null; // where the drawing stood when playing began, and its size

function playOrStop() {
  if (state.playing) return stopPlaying();
  seenBefore = { x: state.x, y: state.y, k: state.k, wide: layout.width, tall: layout.height };
  if (LAYER.beginPlaying) LAYER.beginPlaying();
  else if (state.step >= STEPS.length) setStep(0);
  state.playing = true;
  showPlaying();
  playOn();
}

function playOn() {
  if (state.step >= STEPS.length) return endPlaying();
  setStep(state.step + 1);
  playTimer = setTimeout(playOn, stepPause());
}

const stepPause = () => (LAYER.pause ? LAYER.pause() : Math.max(FASTEST, Math.min(SLOWEST, WHOLE / STEPS.length)));

// A stop in the middle leaves everything as it is: the reader wants to look at it.
function stopPlaying() {
  clearTimeout(playTimer);
  state.playing = false;
  showPlaying();
}

function endPlaying() {
  stopPlaying();
  leaveRun();
  drawnAt = -1; // what was opened on the way has moved the rest: everything goes back
  redraw();
  const { x, y, k, wide, tall } = seenBefore;
  if (layout.width !== wide || layout.height !== tall) return settle();
  Object.assign(state, { x, y, k });
  applyTransform();
}

// The run is left: its last step has been played, or the reader went back before the first one.
function leaveRun() {
  const closed = closePassing(state.selected ? [state.selected] : []);
  touchedScopes.clear();
  return closed;
}

// Opens the scopes in which the step happens, if the reader wants that; otherwise the closed scope is marked.
function followStep() {
  if (!state.step) return leaveRun();
  return state.follow && openInPassing(nodesOfStep(state.step));
}

function setFollow(follows) {
  state.follow = follows;
  showChoices();
  if (!(follows ? followStep() : closePassing(state.selected ? [state.selected] : []))) paint();
}

// Whether boxes and arrows say the shapes and values of the run, or the static types.
function setValues(shown) {
  state.values = shown;
  showChoices();
  paint();
}

function showChoices() {
  for (const name of ["follow", "values"]) {
    const box = document.getElementById(name);
    if (box) box.checked = state[name];
  }
}

function showPlaying() {
  if (LAYER.showPlaying) LAYER.showPlaying();
  const button = document.getElementById("play");
  if (button) button.textContent = state.playing ? "Stop" : "Play";
}
