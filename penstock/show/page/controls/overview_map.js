// The overview map: a small map below the card, where it covers no box, shown while not everything is in view. A click in it moves the window.

const map = document.getElementById("map"), mapArea = document.getElementById("map-area"), mapWindow = document.getElementById("map-window");
const MAP_WIDE = 270, MAP_TALL = 130;
let mapScale = 1;

function drawMap() {
  mapScale = Math.min(MAP_WIDE / Math.max(layout.width, 1), MAP_TALL / Math.max(layout.height, 1));
  map.setAttribute("width", layout.width * mapScale + 8);
  map.setAttribute("height", layout.height * mapScale + 8);
  const small = ({ x, y, width, height }, kind) => shape("rect", { x: x * mapScale + 4, y: y * mapScale + 4,
    width: Math.max(width * mapScale, 1.5), height: Math.max(height * mapScale, 1), class: kind });
  mapArea.replaceChildren(...layout.scopes.map((placed) => small(placed, "map-scope")),
    ...layout.boxes.map((placed) => small(placed, `map-box ${placed.box.kind}`)));
}

function moveMap() {
  const x = -state.x / state.k, y = -state.y / state.k, width = canvas.clientWidth / state.k, height = canvas.clientHeight / state.k;
  const whole = x <= 1 && y <= 1 && x + width >= layout.width - 1 && y + height >= layout.height - 1;
  map.toggleAttribute("hidden", whole);
  const left = Math.max(x, 0), top = Math.max(y, 0);
  const right = Math.min(x + width, layout.width), bottom = Math.min(y + height, layout.height);
  for (const [name, value] of Object.entries({ x: left * mapScale + 4, y: top * mapScale + 4,
    width: Math.max(right - left, 0) * mapScale, height: Math.max(bottom - top, 0) * mapScale })) mapWindow.setAttribute(name, value);
}

function goOnMap(event) {
  const area = map.getBoundingClientRect();
  state.x = canvas.clientWidth / 2 - ((event.clientX - area.left - 4) / mapScale) * state.k;
  state.y = canvas.clientHeight / 2 - ((event.clientY - area.top - 4) / mapScale) * state.k;
  applyTransform();
}

map.addEventListener("pointerdown", (event) => { map.setPointerCapture(event.pointerId); goOnMap(event); });
map.addEventListener("pointermove", (event) => { if (event.buttons) goOnMap(event); });
