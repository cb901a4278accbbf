// Gestures: the mouse, the keys, and the buttons; then the first drawing.

const on = (id, event, does) => document.getElementById(id).addEventListener(event, does);
const showStage = buildStageBar((number) => setStage(number));
const showStep = buildRunBar((number) => setStep(number));

// ---- the mouse --------------------------------------------------------------------------------------------------

let drag = null;

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const area = canvas.getBoundingClientRect(), lines = event.deltaMode === 1 ? 30 : 1;
  zoom(Math.exp(-event.deltaY * lines * 0.0016), event.clientX - area.left, event.clientY - area.top);
}, { passive: false });

canvas.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, y: event.clientY, moved: false, id: event.pointerId }; });

canvas.addEventListener("pointermove", (event) => {
  if (!drag || drag.ended || event.pointerId !== drag.id || fingers.size > 1) return;
  const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
  if (!drag.moved && Math.hypot(dx, dy) < 4) return; // the pointer may move a little during a click
  if (!drag.moved) canvas.setPointerCapture(drag.id);
  Object.assign(drag, { x: event.clientX, y: event.clientY, moved: true });
  canvas.classList.add("dragged");
  pan(dx, dy);
});

canvas.addEventListener("pointerup", () => {
  canvas.classList.remove("dragged");
  const ended = drag;
  if (!ended) return;
  ended.ended = true; // the click that follows asks whether it moved
  setTimeout(() => { if (drag === ended) drag = null; });
});
canvas.addEventListener("pointercancel", () => { canvas.classList.remove("dragged"); drag = null; });

canvas.addEventListener("click", (event) => {
  if (drag && drag.moved) return;
  closeResults();
  const made = event.target.closest("g.box, g.scope-title, g.arrow");
  if (!made) return letGo();
  if (made.matches("g.box")) return clickBox(layout.boxes.find((placed) => placed.element === made).box);
  if (made.matches("g.arrow")) return followArrow(layout.arrows.find((placed) => placed.element === made).arrow);
  toggle(layout.scopes.find((placed) => placed.element === made.parentNode).scope.origin, false);
});

function clickBox(box) {
  if (box.closed) toggle(box.closed, true); else select(box.origin);
}

// ---- the keys ---------------------------------------------------------------------------------------------------

const KEYS = {
  "/": () => { search.focus(); search.select(); },
  "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8),
  f: () => fit(), o: () => openMore(true), c: () => openMore(false), d: () => setTheme(!isDark()),
  p: () => state.selected && actions.pathFrom(state.selected),
  "[": () => setStage(state.view - 1), "]": () => setStage(state.view + 1),
  ",": () => setStep(state.step - 1), ".": () => setStep(state.step + 1),
  "?": () => { panel.hidden = false; helpCard(); openSheet("half"); },
  n: () => goToHit(hitsNow().at + 1), N: () => goToHit(hitsNow().at < 0 ? -1 : hits.at - 1),
  s: () => showSaver(saver.hidden),
  Escape: () => { letGo(); clearSearch(); },
  v: () => hasRunTexts && setValues(!state.values),
  " ": () => STEPS.length && playOrStop(),
  Enter: () => state.scope && toggle(state.scope),
  ArrowUp: () => step("up"), ArrowDown: () => step("down"), ArrowLeft: () => step("left"), ArrowRight: () => step("right"),
};

Object.assign(KEYS, LAYER.keys);

document.addEventListener("keydown", (event) => {
  const at = event.target.localName;
  if (event.ctrlKey || event.metaKey || event.altKey || at === "select") return;
  if (at === "input" && (event.target.type !== "checkbox" || event.key === " ")) return;
  if (at === "button" && (event.key === "Enter" || event.key === " ")) return;
  const does = KEYS[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});

// Moves the selection to a producer, a consumer or a neighbour of the selected box.
function step(way) {
  const here = currentBox();
  if (!here) return choose(layout.boxes.reduce((best, placed) => (!best || placed.y < best.y ? placed : best), null));
  const from = placedById.get(here.id);
  let near = [];
  // Where arrows point to the right, left and right lead along them, and up and down to what stands above and below.
  const turned = { up: "left", down: "right", left: "up", right: "down" }, across = layout.direction === "right";
  if (across) way = turned[way];
  if (way === "up") near = layout.arrows.filter((each) => each.arrow.target === here).map((each) => each.arrow.source);
  else if (way === "down") near = layout.arrows.filter((each) => each.arrow.source === here).map((each) => each.arrow.target);
  else near = beside(from, way === "left" ? -1 : 1, across);
  const [start, size] = across ? ["y", "height"] : ["x", "width"];
  const middle = (placed) => placed[start] + placed[size] / 2;
  const far = (box) => Math.abs(middle(placedById.get(box.id)) - middle(from));
  const best = near.filter((box) => box !== here).sort((a, b) => far(a) - far(b))[0];
  if (best) choose(placedById.get(best.id));
}

function currentBox() {
  if (state.selected) return homeOf(state.selected);
  return state.scope && picture.boxes.find((box) => box.closed === state.scope);
}

function beside(from, side, across) {
  const [along, size, other] = across ? ["x", "width", "y"] : ["y", "height", "x"];
  return layout.boxes.filter((each) => each[along] < from[along] + from[size] && from[along] < each[along] + each[size]
    && (each[other] - from[other]) * side > 0).map((each) => each.box);
}

function choose(placed) {
  if (!placed) return;
  if (placed.box.closed) selectScope(placed.box.closed); else select(placed.box.origin);
}

// ---- the buttons, and the beginning -----------------------------------------------------------------------------

on("in", "click", () => zoom(1.25));
on("out", "click", () => zoom(0.8));
on("fit", "click", () => fit());
on("expand", "click", () => openMore(true));
on("collapse", "click", () => openMore(false));
on("theme", "click", () => setTheme(!isDark()));
on("help", "click", () => KEYS["?"]());

const colours = document.getElementById("colour");
colours.append(...Object.entries(MODES).filter(([, mode]) => mode.has())
  .map(([name, mode]) => element("option", { value: name }, mode.label.replace("by ", ""))));
colours.addEventListener("change", () => {
  state.colour = colours.value;
  redraw();
});

// Printing shows the whole picture in light colours, whatever part of it is on the screen.
let beforePrint = null, wasDark = false;
window.addEventListener("beforeprint", () => {
  beforePrint = { x: state.x, y: state.y, k: state.k };
  wasDark = isDark();
  setTheme(false);
  canvas.setAttribute("viewBox", `-10 -10 ${layout.width + 20} ${layout.height + 20}`);
  Object.assign(state, { x: 0, y: 0, k: 1 });
  applyTransform();
});
window.addEventListener("afterprint", () => {
  canvas.removeAttribute("viewBox");
  Object.assign(state, beforePrint);
  beforePrint = null;
  setTheme(wasDark);
  applyTransform();
});

// A frame in a notebook gets its size late: until the reader does something, the picture follows the window.
let touched = false;
for (const gesture of ["pointerdown", "wheel", "keydown", "input"])
  document.addEventListener(gesture, () => { touched = true; }, { capture: true, passive: true });
new ResizeObserver(() => {
  if (touched || beforePrint) return moveMap();
  settle();
  lookAtSelection();
}).observe(canvas);

document.getElementById("title").textContent = shorten(DATA.title, 120);
document.getElementById("title").title = DATA.words; // where the window has no room for the sentence
document.getElementById("words").textContent = DATA.words;
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
setTheme(prefersDark.matches);
prefersDark.addEventListener("change", (event) => setTheme(event.matches));
for (const event of ["popstate", "hashchange"]) window.addEventListener(event, followAddress);
followAddress();
arrange();
settle();
lookAtSelection();
document.documentElement.dataset.ready = "yes";

// The other views are made in idle time.
function makeViewsFrom(number) {
  if (number >= DATA.views.length) return;
  viewAt(number);
  requestIdleCallback(() => makeViewsFrom(number + 1));
}
requestIdleCallback(() => makeViewsFrom(1));
