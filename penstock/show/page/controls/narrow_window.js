// A narrow window (a phone, a column): the card is a sheet at the lower edge, tools and legend are in a menu.
//
// The sheet shows its heading ("peek") until it is tapped or dragged up to half or nearly all of the height. Two fingers
// zoom the drawing.

const narrow = window.matchMedia("(max-width: 700px)");
const sheet = document.getElementById("sheet"), grip = document.getElementById("grip");
const menu = document.getElementById("menu"), tools = document.getElementById("tools");
const PEEK = 64; // the height of the closed sheet, which the drawing leaves free

// The room of a drawing in a narrow window: its proportion, at a scale at which texts can be read.
const narrowRoom = () => ({ width: canvas.clientWidth / READABLE, height: canvas.clientHeight / READABLE });

// The height of the sheet at its three places.
function sheetHeights() {
  const whole = sheet.parentNode.clientHeight, heading = panel.querySelector("h2");
  const lines = heading ? grip.offsetHeight + heading.offsetTop + heading.offsetHeight - panel.offsetTop + 10 : PEEK;
  return { peek: Math.min(Math.max(lines, PEEK), 0.3 * whole), half: 0.55 * whole, tall: whole - 12 };
}

function openSheet(at) {
  if (!narrow.matches) return;
  if (at === "peek") panel.scrollTop = 0;
  sheet.dataset.at = at;
  sheet.style.setProperty("--sheet", `${Math.round(sheetHeights()[at])}px`);
  grip.setAttribute("aria-expanded", at !== "peek");
  grip.setAttribute("aria-label", at === "peek" ? "Show all of this card" : "Close this card");
}

// The height by which the sheet covers the drawing.
function coveredBySheet() {
  return narrow.matches && sheet.dataset.at ? Math.max(sheetHeights()[sheet.dataset.at] - PEEK, 0) : 0;
}

// ---- dragging ---------------------------------------------------------------------------------------------------

let pulled = null;

grip.addEventListener("pointerdown", (event) => {
  grip.setPointerCapture(event.pointerId);
  pulled = { y: event.clientY, height: sheet.offsetHeight, moved: false };
});

grip.addEventListener("pointermove", (event) => {
  if (!pulled) return;
  const up = pulled.y - event.clientY;
  if (!pulled.moved && Math.abs(up) < 4) return;
  pulled.moved = true;
  sheet.classList.add("dragged");
  sheet.style.setProperty("--sheet", `${Math.max(pulled.height + up, 30)}px`);
});

// Let go, the sheet moves to the next of its places in the direction of the drag.
grip.addEventListener("pointerup", () => {
  sheet.classList.remove("dragged");
  if (pulled && pulled.moved) {
    const now = sheet.offsetHeight, up = now > pulled.height, places = Object.entries(sheetHeights());
    const next = up ? places.find(([, height]) => height >= now - 20) || places[2] : places.filter(([, height]) => height <= now + 20).pop() || places[0];
    openSheet(next[0]);
  }
  setTimeout(() => { pulled = null; });
});

grip.addEventListener("click", () => {
  if (!pulled || !pulled.moved) openSheet(sheet.dataset.at === "peek" ? "half" : "peek");
});

panel.addEventListener("click", (event) => {
  if (sheet.dataset.at === "peek" && !event.target.closest("button")) openSheet("half");
});

canvas.addEventListener("click", (event) => {
  if (sheet.dataset.at !== "peek" && !event.target.closest("g.box, g.arrow, g.scope-title")) openSheet("peek");
});

// Another card has another heading.
new MutationObserver(() => { if (sheet.dataset.at === "peek") openSheet("peek"); }).observe(panel, { childList: true });

// ---- the menu ---------------------------------------------------------------------------------------------------

function showMenu(shown) {
  tools.classList.toggle("shown", shown);
  menu.setAttribute("aria-expanded", shown);
}

menu.addEventListener("click", () => showMenu(menu.getAttribute("aria-expanded") !== "true"));
for (const elsewhere of [canvas, sheet, search]) elsewhere.addEventListener("pointerdown", () => showMenu(false));
document.addEventListener("keydown", (event) => { if (event.key === "Escape") showMenu(false); });

function arrange() {
  (narrow.matches ? tools : document.getElementById("stage")).append(document.getElementById("legend"));
  const choices = document.querySelector(".choices"), bar = document.getElementById("runbar");
  if (choices && narrow.matches) tools.append(choices);
  else if (choices) bar.insertBefore(choices, bar.querySelector(".count"));
  showMenu(false);
  if (narrow.matches) openSheet(sheet.dataset.at || "peek");
}

narrow.addEventListener("change", () => {
  arrange();
  direction = DATA.direction;
  drawnAt = -1;
  redraw();
  settle();
});

// ---- two fingers zoom -------------------------------------------------------------------------------------------

const fingers = new Map(); // the places of the fingers on the drawing, by pointer

canvas.addEventListener("pointerdown", (event) => {
  if (event.pointerType === "touch") fingers.set(event.pointerId, [event.clientX, event.clientY]);
});

canvas.addEventListener("pointermove", (event) => {
  if (!fingers.has(event.pointerId) || fingers.size !== 2) return;
  const spread = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]), middle = ([a, b]) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const before = [...fingers.values()];
  fingers.set(event.pointerId, [event.clientX, event.clientY]);
  const after = [...fingers.values()], area = canvas.getBoundingClientRect(), [x, y] = middle(after), [x0, y0] = middle(before);
  if (drag) drag.moved = true; // no click follows
  pan(x - x0, y - y0);
  zoom(spread(after) / Math.max(spread(before), 1), x - area.left, y - area.top);
});

for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
