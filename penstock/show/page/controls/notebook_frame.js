// Draws a page in a frame of a notebook. All pages of a notebook share the document around their data: one output holds
// it, packed, the others wait until it is there. Until then, and where scripts do not run, each shows a still picture.
((id, key) => {
  const host = (document.currentScript && document.currentScript.closest(".penstock-page")) || document.getElementById(id);
  if (!host) return;
  const shared = ((window.__penstock_page = window.__penstock_page || {})[key] ||= { page: null, waiting: [] });
  const themed = document.body.dataset.jpThemeLight, words = document.body.classList;
  const scheme = themed ? (themed === "false" ? "dark" : "light")
    : words.contains("vscode-dark") ? "dark" : words.contains("vscode-light") ? "light" : "";
  const draw = () => {
    const data = host.querySelector("script[type='application/json']").textContent;
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts allow-downloads"); // downloads: "Save picture"
    frame.style.cssText = "width:100%;height:620px;border:1px solid #8884;border-radius:6px;background:Canvas";
    if (scheme) frame.style.colorScheme = scheme;
    frame.srcdoc = shared.page.join(data);
    host.querySelector(".penstock-still").replaceWith(frame);
  };
  const packed = host.querySelector("script[type='text/plain']");
  if (shared.page) return draw();
  shared.waiting.push(draw);
  if (!packed || !window.DecompressionStream) return;
  const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  new Response(unpacked).text().then((text) => {
    shared.page = text.split("@@data@@");
    for (const each of shared.waiting.splice(0)) each();
  });
})
