// The animation of a change of the layout: boxes, frames and lines move from their old places to the new ones.

const MOVE_MS = 180; // from the click to the last frame
const MOST_MOVING = 500; // with more boxes and lines in view there is no animation: a frame would take too long
const stillWanted = window.matchMedia("(prefers-reduced-motion: reduce)");
let moving = 0; // the number of the animation that runs; a later one ends an earlier one

// The places of everything in view, in the coordinates of the screen.
function placesOf(layout) {
  const onScreen = ([x, y]) => [x * state.k + state.x, y * state.k + state.y];
  const rect = ({ x, y, width, height }) => ({ at: onScreen([x, y]), width: width * state.k, height: height * state.k });
  return {
    rects: new Map([...layout.scopes.map((placed) => [`${placed.scope.origin.path}/`, rect(placed)]),
      ...layout.boxes.map((placed) => [placed.box.id, rect(placed)])]),
    lines: new Map(layout.arrows.map((placed) => [lineName(placed.arrow), placed.points.map(onScreen)])),
  };
}

const middleOf = ({ at: [x, y], width, height }) => [x + width / 2, y + height / 2];

const lineName = ({ source, target, slot, kind }) => [source.id, target.id, kind === "data" ? slot : kind].join("\u0001");

// Moves what is drawn from `before`, which `placesOf` gave, to where `layout` has it.
function moveFrom(before, layout) {
  const mine = ++moving, parts = layout.boxes.length + layout.arrows.length;
  canvas.classList.remove("moving");
  if (stillWanted.matches || parts > MOST_MOVING) return;
  const steps = movementsOf(before, layout);
  if (!steps.length) return;
  const start = performance.now();
  const frame = () => {
    if (mine !== moving) return;
    const passed = Math.min((performance.now() - start) / MOVE_MS, 1), left = (1 - passed) ** 3;
    for (const step of steps) step(left);
    canvas.classList.toggle("moving", left > 0);
    if (left > 0) requestAnimationFrame(frame);
  };
  frame();
}

// One function for each part that moves. It draws the part at its place for `left`, the share of the way that is left.
function movementsOf(before, layout) {
  const inWorld = ([x, y]) => [(x - state.x) / state.k, (y - state.y) / state.k], steps = [];
  const placeBefore = (rect) => {
    const [x, y] = inWorld(rect.at);
    return { x, y, width: rect.width / state.k, height: rect.height / state.k };
  };
  const comesFrom = (id, scope) => {
    for (let outer = scope; !before.rects.has(id) && outer; outer = outer.parent) id = `${outer.origin.path}/`;
    return before.rects.has(id) ? placeBefore(before.rects.get(id)) : null;
  };
  for (const placed of layout.scopes) {
    const old = comesFrom(`${placed.scope.origin.path}/`, placed.scope.parent);
    if (old) steps.push(...growing(placed, old, ".area", ".scope-title"));
  }
  for (const placed of layout.boxes) {
    const old = comesFrom(placed.box.id, placed.box.scope), known = before.rects.has(placed.box.id);
    if (!old) continue;
    if (placed.box.closed && known && old.width > placed.width + 1) steps.push(...growing(placed, old, ".body", "text"));
    else steps.push(shifted(placed.element, middle(old), middle(placed)), ...(known ? [] : [shownSlowly(placed.element)]));
  }
  for (const placed of layout.arrows) {
    const old = before.lines.get(lineName(placed.arrow));
    steps.push(old ? bent(placed, old.map(inWorld)) : shownSlowly(placed.element));
  }
  return steps;
}

const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
const between = (old, now, left) => now + (old - now) * left;

function shifted(made, [oldX, oldY], [x, y]) {
  if (Math.hypot(oldX - x, oldY - y) < 0.5) return () => {};
  return (left) => {
    if (left) made.setAttribute("transform", `translate(${((oldX - x) * left).toFixed(1)} ${((oldY - y) * left).toFixed(1)})`);
    else made.removeAttribute("transform");
  };
}

function shownSlowly(made) {
  return (left) => { made.style.opacity = left ? (1 - left).toFixed(2) : ""; };
}

// A frame that grows out of a closed box, or a closed box that a frame shrinks to; its texts move with its corner.
function growing(placed, old, area, texts) {
  const rect = placed.element.querySelector(area);
  const resize = (left) => {
    for (const name of ["x", "y", "width", "height"]) rect.setAttribute(name, between(old[name], placed[name], left));
  };
  const corner = area === ".area" ? [[old.x, old.y], [placed.x, placed.y]] : [middle(old), middle(placed)];
  return [resize, ...[...placed.element.querySelectorAll(texts)].map((made) => shifted(made, ...corner))];
}

// A line with as many points as the new one has, taken from the old line.
function bent(placed, old) {
  const paths = placed.element.querySelectorAll("path"), last = placed.points.length - 1;
  const from = placed.points.map((_, at) => old[Math.round((at / Math.max(last, 1)) * (old.length - 1))]);
  if (from.length === old.length && from.every(([x, y], at) => Math.hypot(x - placed.points[at][0], y - placed.points[at][1]) < 0.5))
    return () => {};
  return (left) => {
    const points = placed.points.map(([x, y], at) => [between(from[at][0], x, left), between(from[at][1], y, left)]);
    const path = left ? arrowPath({ points }) : arrowPath(placed);
    for (const made of paths) made.setAttribute("d", path);
  };
}
