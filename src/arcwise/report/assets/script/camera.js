// ---- The camera: how large the drawing is, and which part of it the window shows.

const graph = byId("graph");
const LEAST_HEIGHT = 300;
const camera = { scale: 1, size: view.drawing.size };

function fitting() { // the whole drawing, in both directions; small ones may grow
  const [width, height] = camera.size, stage = byId("scroll");
  return Math.max(0.12, Math.min(1.6, (stage.clientWidth - 6) / width, (stage.clientHeight - 6) / height));
}

// How many times as tall a drawing beside the table may be, so that it fills its place and is no smaller for it.
function stretch(width, height) {
  const stage = byId("scroll");
  if (!matchMedia("(min-width: 1051px)").matches) return 1;
  stage.style.height = "";
  const scale = Math.min(1.6, (stage.clientWidth - 6) / width);
  return Math.max(1, Math.min(1.8, (stage.clientHeight - 8) / (height * scale)));
}

function scaleTo(scale) { // null: to fit
  const stage = byId("scroll"), [width, height] = camera.size;
  const middle = [(stage.scrollLeft + stage.clientWidth / 2) / camera.scale, (stage.scrollTop + stage.clientHeight / 2) / camera.scale];
  camera.fits = scale === null;
  stage.style.height = ""; // as high as the window allows
  camera.scale = scale === null ? fitting() : Math.max(0.12, Math.min(3, scale));
  const needed = Math.ceil(height * camera.scale) + 8;
  if (camera.fits && needed < stage.clientHeight) stage.style.height = `${Math.max(LEAST_HEIGHT, needed)}px`; // no empty paper
  graph.setAttribute("width", (width * camera.scale).toFixed(0));
  graph.setAttribute("height", (height * camera.scale).toFixed(0));
  if (scale !== null) lookAt(...middle);
}

function lookAt(x, y) {
  const stage = byId("scroll");
  stage.scrollLeft = x * camera.scale - stage.clientWidth / 2;
  stage.scrollTop = y * camera.scale - stage.clientHeight / 2;
}

function zoomTo(nodes) { // so that these variables fill the window, at a size that can be read
  const { x, y } = places, w = view.drawing.w, h = view.drawing.h, stage = byId("scroll");
  const left = Math.min(...nodes.map((v) => x[v] - w[v] / 2)), right = Math.max(...nodes.map((v) => x[v] + w[v] / 2));
  const top = Math.min(...nodes.map((v) => y[v] - h / 2)), bottom = Math.max(...nodes.map((v) => y[v] + h / 2));
  scaleTo(Math.min(1.2, stage.clientWidth / (right - left + 120), stage.clientHeight / (bottom - top + 120)));
  lookAt((left + right) / 2, (top + bottom) / 2);
}

function buildCamera() {
  const stage = byId("scroll");
  byId("fit-all").addEventListener("click", () => scaleTo(null));
  byId("larger").addEventListener("click", () => scaleTo(camera.scale * 1.25));
  byId("smaller").addEventListener("click", () => scaleTo(camera.scale / 1.25));
  addEventListener("resize", () => { if (camera.fits) scaleTo(null); });
  stage.addEventListener("wheel", (event) => { // with Ctrl, as in maps and drawings
    if (!event.ctrlKey) return;
    event.preventDefault();
    scaleTo(camera.scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
  }, { passive: false });
  let held = null; // dragging the paper moves it
  stage.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0 || event.target.closest(".node, .edge")) return;
    held = [event.clientX + stage.scrollLeft, event.clientY + stage.scrollTop];
  });
  addEventListener("pointermove", (event) => {
    if (held === null) return;
    stage.scrollLeft = held[0] - event.clientX;
    stage.scrollTop = held[1] - event.clientY;
  });
  addEventListener("pointerup", () => { held = null; });
}

// ---- The picture as a file: what is drawn now, with its colours written into it.

const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-size", "font-family", "text-anchor", "dominant-baseline", "paint-order"];

function pictureText() {
  const [width, height] = camera.size, copy = graph.cloneNode(true);
  const own = graph.querySelectorAll("*"), copied = copy.querySelectorAll("*");
  own.forEach((element, k) => {
    const style = getComputedStyle(element);
    for (const name of PAINT) copied[k].setAttribute(name, style.getPropertyValue(name));
  });
  for (const hidden of copy.querySelectorAll(".hit, .halo, [display='none']")) hidden.remove();
  for (const element of copy.querySelectorAll("*")) for (const name of ["class", "role", "tabindex", "aria-label", "aria-hidden"]) element.removeAttribute(name);
  const paper = draw("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor });
  copy.prepend(paper);
  fill(copy, { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` }, []);
  copy.removeAttribute("style");
  return new XMLSerializer().serializeToString(copy);
}

function saveAs(blob, ending) {
  const link = make("a", { href: URL.createObjectURL(blob), download: `network.${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function buildSaving() {
  byId("save-svg").addEventListener("click", () => saveAs(new Blob([pictureText()], { type: "image/svg+xml" }), "svg"));
  byId("save-png").addEventListener("click", () => {
    const image = new Image(), paper = document.createElement("canvas"), times = 2; // sharp in print
    image.addEventListener("load", () => {
      [paper.width, paper.height] = camera.size.map((length) => times * Math.ceil(length));
      paper.getContext("2d").drawImage(image, 0, 0, paper.width, paper.height);
      paper.toBlob((blob) => saveAs(blob, "png"));
    });
    image.src = `data:image/svg+xml,${encodeURIComponent(pictureText())}`;
  });
}
