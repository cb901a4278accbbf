// Which part of the drawing the window shows, and how large.

const READABLE = 0.9, MOST = 1.15, MARGIN = 28; // the smallest text has 10 px, which are 9 at this scale

function applyTransform() {
  world.setAttribute("transform", `translate(${state.x.toFixed(2)} ${state.y.toFixed(2)}) scale(${state.k.toFixed(4)})`);
  canvas.classList.toggle("far", state.k < FAR);
  canvas.classList.toggle("tiny", state.k < TINY);
  moveMap();
}

function pan(dx, dy) { state.x += dx; state.y += dy; applyTransform(); }

function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  const k = Math.min(Math.max(state.k * factor, 0.02), 4), ratio = k / state.k;
  state.x = x - (x - state.x) * ratio;
  state.y = y - (y - state.y) * ratio;
  state.k = k;
  applyTransform();
}

// The whole picture in the window. If that is too small to read, `settle` shows its beginning instead.
function fit() {
  placeAt(Math.max(Math.min(...scales(), MOST), 0.02));
}

function settle() {
  const [across, down] = scales(), whole = Math.min(across, down, MOST);
  placeAt(narrow.matches ? Math.max(Math.min(across, 1), whole, READABLE) : Math.max(whole, READABLE));
}

function scales() {
  return [(canvas.clientWidth - 2 * MARGIN) / Math.max(layout.width, 1),
    (canvas.clientHeight - 2 * MARGIN) / Math.max(layout.height, 1)];
}

// Of a drawing that is larger than the window the beginning is shown: the first box of the flow is wholly in view, and then
// as much of the first fetch as there is room for.
function placeAt(k) {
  const first = firstOfFlow(), last = placedById.get((picture.boxes.find(({ kind }) => kind === "fetched") || {}).id) || first;
  const place = (room, whole, start, size, at) => {
    const free = room - whole * k;
    if (free >= 0 || !first) return free / 2;
    const wanted = Math.min(Math.max(room / 2 - (last[at] + last[size] / 2) * k, free - MARGIN), MARGIN);
    return Math.max(Math.min(wanted, room - MARGIN - (first[at] + first[size]) * k), MARGIN - start * k);
  };
  const isDown = layout.direction === "down", { x, y } = first || {};
  // Where the flow begins, the frames around its first box are shown too.
  Object.assign(state, { k, x: place(canvas.clientWidth, layout.width, isDown ? x : 0, "width", "x"), y: place(canvas.clientHeight, layout.height, isDown ? 0 : y, "height", "y") });
  applyTransform();
}

// Of the boxes where lines begin the one at the beginning of the drawing; of those side by side the first of the program.
const SIDE_BY_SIDE = 60;

function firstOfFlow() {
  const axis = layout.direction === "right" ? "x" : "y", read = new Set(picture.arrows.map(({ target }) => target));
  const sources = layout.boxes.filter(({ box }) => !read.has(box)), all = sources.length ? sources : layout.boxes;
  const start = all.reduce((least, placed) => Math.min(least, placed[axis]), Infinity);
  return all.filter((placed) => placed[axis] <= start + SIDE_BY_SIDE).reduce((first, placed) => (first && first.box.rank <= placed.box.rank ? first : placed), null);
}

// Moves the drawing so that the box of a step stands where the reader saw it, or the closed scope that it was in; and only
// as far as it takes to bring the box into view. `seen` is that place on the screen, null if the layout is as it was.
const ASIDE = 60, BELOW = 40, THIRD = 1 / 3;

function keepUnderEye(id, seen) {
  const placed = placedById.get(id), { x, y, k } = state, sizes = [canvas.clientWidth, canvas.clientHeight - coveredBySheet()];
  if (!placed) return false;
  if (k < FAR) { center(id); return true; }
  const now = [placed.x + placed.width / 2, placed.y + placed.height / 2].map((at, axis) => at * k + [x, y][axis]);
  const half = [placed.width * k / 2, placed.height * k / 2];
  const [dx, dy] = now.map((at, axis) => {
    const wanted = seen ? seen[axis] : at, room = sizes[axis], edge = Math.min(half[axis] + 12, room / 2), least = Math.max(edge, [ASIDE, BELOW][axis]);
    if (wanted >= least && wanted <= room - least) return wanted - at;
    // A box that is out of view comes a third of the window into it: the next ones are likely to follow on that side.
    return (wanted < least ? Math.max(edge, room * THIRD) : Math.min(room - edge, room * (1 - THIRD))) - at;
  });
  if (Math.hypot(dx, dy) < 0.5) return false;
  pan(dx, dy);
  return true;
}

// Brings a box into view, without moving anything if it is there already.
function center(id) {
  const placed = placedById.get(id);
  if (!placed) return;
  const x = (placed.x + placed.width / 2) * state.k + state.x, y = (placed.y + placed.height / 2) * state.k + state.y;
  const wide = canvas.clientWidth, tall = canvas.clientHeight - coveredBySheet();
  if (state.k >= FAR && x > 60 && x < wide - 60 && y > 40 && y < tall - 40) return;
  if (state.k < FAR) state.k = 0.8;
  state.x = wide / 2 - (placed.x + placed.width / 2) * state.k;
  state.y = tall / 2 - (placed.y + placed.height / 2) * state.k;
  applyTransform();
}
