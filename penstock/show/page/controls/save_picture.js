// "Save picture": the drawing of now is copied as SVG, or saved as SVG or PNG. Nothing leaves the machine.

const saver = document.getElementById("save-panel"), saveButton = document.getElementById("save");
const MOST_PIXELS = 120e6, MOST_SIDE = 16000; // what browsers draw

function showSaver(shown) {
  saver.hidden = !shown;
  saveButton.setAttribute("aria-expanded", shown);
}

const asked = () => drawingText(document.getElementById("save-window").checked);
const fileName = (suffix) => `${DATA.title.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, 60) || "graph"}${suffix}`;

function saveFile(content, kind, suffix) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  const anchor = element("a", { href: address, download: fileName(suffix) });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  tellSaved(`${anchor.download} is saved.`);
}

// The drawing in pixels, two for each of its units as far as a browser can.
async function pixelsOf({ text, width, height }) {
  const scale = Math.min(2, MOST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const pixels = element("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  pixels.getContext("2d").drawImage(image, 0, 0, pixels.width, pixels.height);
  return new Promise((done) => pixels.toBlob(done, "image/png"));
}

// A page in a frame may not be allowed to use the clipboard; then the old way is left.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = element("textarea", {}, text);
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    if (!copied) throw new Error("the browser does not allow it");
  }
}

function tellSaved(words) {
  showSaver(false);
  hint(words);
  setTimeout(() => { if (document.getElementById("hint").textContent === words) hint(""); }, 4000);
}

const refused = (what) => (error) => tellSaved(`${what} did not work: ${error.message}.`);

on("save", "click", () => showSaver(saver.hidden));
on("copy-svg", "click", () => copyText(asked().text).then(() => tellSaved("The SVG is in the clipboard."), refused("Copying")));
on("save-svg", "click", () => saveFile(asked().text, "image/svg+xml", ".svg"));
on("save-png", "click", () => pixelsOf(asked()).then((content) => saveFile(content, "image/png", ".png")).catch(refused("Saving")));
canvas.addEventListener("pointerdown", () => showSaver(false));
document.addEventListener("keydown", (event) => { if (event.key === "Escape") showSaver(false); });
