// ---- The drawing: nodes and edges, at the places of the whole network or of what is around a variable.

const partLayer = draw("g", { "aria-hidden": "true" }), edgeLayer = draw("g"), nodeLayer = draw("g"), labelLayer = draw("g", { class: "labels", "aria-hidden": "true" });
const edgeElements = [], nodeElements = [], labelElements = [];
const whole = stretched({ x: view.drawing.x, y: view.drawing.y, size: view.drawing.size, paths: view.edges.map((edge) => edge.path),
  middles: view.edges.map((edge) => edge.label_at), shown: view.drawing.x.length ? null : new Set() }); // of very many, nothing is drawn
let places = whole; // where things are now; `shown` limits the nodes

function stretched(drawing) { // layers further apart; lines still begin and end at the borders of their nodes
  const { x, y, size: [width, height], paths, middles } = drawing;
  const times = x.length && !view.drawing.apart ? stretch(width, height) : 1;
  if (times === 1) return drawing;
  const moved = paths.map((path, index) => {
    const points = path.match(/-?[\d.]+,-?[\d.]+/g).map((pair) => pair.split(",").map(Number)), last = points.length - 1;
    const { first, second } = view.edges[index];
    const nearest = (at) => [first, second].reduce((one, other) => (Math.abs(y[one] - at) <= Math.abs(y[other] - at) ? one : other));
    const off = [points[0][1], points[last][1]].map((at) => (at - y[nearest(at)]) * (1 - times));
    let k = -1;
    const lift = (part) => off[0] + part * (off[1] - off[0]);
    const text = path.replace(/-?[\d.]+,-?[\d.]+/g, () => { k += 1; return `${points[k][0]},${(times * points[k][1] + lift(k / last)).toFixed(1)}`; });
    return { text, middle: middles[index] && [middles[index][0], times * middles[index][1] + lift(0.5)] };
  });
  return { ...drawing, y: y.map((at) => times * at), size: [width, times * height], paths: moved.map(({ text }) => text), middles: moved.map(({ middle }) => middle) };
}

function buildDrawing() {
  const { w, h } = view.drawing;
  graph.append(partLayer, edgeLayer, labelLayer, nodeLayer);
  view.edges.forEach((edge, index) => {
    const ink = draw("path", { class: "ink", "stroke-width": thickness(real(edge)).toFixed(2) });
    if (view.verdicts[edge.verdict].dashes) ink.setAttribute("stroke-dasharray", view.verdicts[edge.verdict].dashes);
    const group = draw("g", { class: `edge ${edge.verdict}`, role: "button", tabindex: "-1", "data-edge": index },
      draw("title"), draw("path", { class: "halo" }), ink, draw("path", { class: "head" }),
      draw("path", { class: "hit" }));
    group.addEventListener("click", () => choose(index));
    group.addEventListener("keydown", (event) => edgeKey(event, index));
    edgeElements.push(group);
    edgeLayer.append(group);
    labelElements.push(draw("text", {}, edge.label));
    labelLayer.append(labelElements[index]);
  });
  view.nodes.forEach((node, v) => {
    const strip = draw("g", { class: "strip" });
    node.states.forEach((_, k) => strip.append(draw("rect", { class: `share s${k % 4}`, y: h / 2 - 6.5, height: 5 })));
    const group = draw("g", { class: "node", "data-node": v }, draw("title"),
      draw("rect", { class: "box", x: -w[v] / 2, y: -h / 2, width: w[v], height: h, rx: 7 }),
      draw("text", { y: -3 }, node.label), strip);
    group.addEventListener("click", () => (state.node === v && state.around === null ? chooseNode(null) : chooseNode(v)));
    group.addEventListener("dblclick", () => goAround(v));
    nodeElements.push(group);
    nodeLayer.append(group);
  });
  drawParts();
  whenKnown.push(drawStrips);
  place(whole);
}

function drawStrips() { // the states of a variable as parts of a line below its name; evidence moves them
  const { w } = view.drawing;
  nodeElements.forEach((group, v) => {
    const room = w[v] - 16;
    let left = -room / 2;
    group.querySelectorAll(".share").forEach((part, k) => {
      part.setAttribute("x", left.toFixed(1));
      part.setAttribute("width", (room * posterior[v][k]).toFixed(1));
      left += room * posterior[v][k];
    });
    group.classList.toggle("known", evidence.has(v));
    const told = view.nodes[v].states.map((label, k) => `${label} ${percent(posterior[v][k])}`).join(", ");
    group.querySelector("title").textContent = `${name(v)}: ${evidence.has(v) ? `known to be ${view.nodes[v].states[evidence.get(v)]}` : told}`;
  });
}

function place(drawing) { // move everything to where this drawing has it
  places = drawing;
  camera.size = drawing.size;
  graph.setAttribute("viewBox", `0 0 ${drawing.size[0]} ${drawing.size[1]}`);
  nodeElements.forEach((group, v) => {
    const shown = drawing.shown === null || drawing.shown.has(v);
    group.setAttribute("display", shown ? "inline" : "none");
    if (shown) group.setAttribute("transform", `translate(${drawing.x[v].toFixed(1)},${drawing.y[v].toFixed(1)})`);
  });
  view.edges.forEach((edge, index) => {
    const path = drawing.paths[index], group = edgeElements[index];
    if (!path) return;
    for (const kind of ["halo", "ink", "hit"]) group.querySelector(`.${kind}`).setAttribute("d", path);
    const [x, y] = drawing.middles[index];
    fill(labelElements[index], { x, y }, []);
  });
  partLayer.setAttribute("display", drawing === whole ? "inline" : "none");
  edgeLayer.setAttribute("class", drawing === whole && view.drawing.apart ? "apart" : "");
}

function arrow(path, atEnd, width) {
  const total = path.getTotalLength();
  const tip = path.getPointAtLength(atEnd ? total : 0);
  const back = path.getPointAtLength(atEnd ? Math.max(0, total - 9) : Math.min(total, 9));
  const angle = Math.atan2(tip.y - back.y, tip.x - back.x);
  const length = 9 + width, half = 3.6 + width * 0.8;
  const corner = (along, aside) =>
    `${(tip.x - along * Math.cos(angle) - aside * Math.sin(angle)).toFixed(1)},${(tip.y - along * Math.sin(angle) + aside * Math.cos(angle)).toFixed(1)}`;
  return `M${tip.x.toFixed(1)},${tip.y.toFixed(1)}L${corner(length, half)}L${corner(length, -half)}Z`;
}

function drawParts() { // a frame around each part that was drawn apart, and lighter lines between them
  if (!view.drawing.apart) return;
  const { x, y, w, h } = view.drawing, of = view.nodes.map(() => -1);
  view.parts.forEach((part, k) => {
    part.nodes.forEach((v) => { of[v] = k; });
    const left = Math.min(...part.nodes.map((v) => x[v] - w[v] / 2)) - 14, right = Math.max(...part.nodes.map((v) => x[v] + w[v] / 2)) + 14;
    const top = Math.min(...part.nodes.map((v) => y[v] - h / 2)) - 14, bottom = Math.max(...part.nodes.map((v) => y[v] + h / 2)) + 14;
    partLayer.append(draw("rect", { class: "frame", x: left, y: top, width: right - left, height: bottom - top, rx: 12 }));
  });
  view.edges.forEach((edge, index) => edgeElements[index].classList.toggle("between", of[edge.first] !== of[edge.second]));
}

const drawnEdges = () => visibleEdges().filter((index) => Boolean(places.paths[index]));

function redraw() {
  state.consensus = consensus(state.threshold);
  if (state.around !== null) place(neighbourhood(state.around, Number(byId("distance").value)));
  view.edges.forEach((edge, index) => {
    const arc = state.consensus.get(index), group = edgeElements[index];
    const shown = inNetwork(arc) && Boolean(places.paths[index]);
    group.setAttribute("display", shown ? "inline" : "none");
    group.setAttribute("aria-hidden", String(!shown));
    labelElements[index].setAttribute("display", shown && byId("numbers").checked ? "inline" : "none");
    if (!shown) return;
    const head = group.querySelector(".head");
    if (pointed(edge, arc)) {
      head.setAttribute("d", arrow(group.querySelector(".ink"), arc.head === edge.second, thickness(real(edge))));
      head.setAttribute("class", headOf(edge, arc));
    } else head.removeAttribute("d");
    const label = `${nameOf(edge, arc)}, ${shownShare(edge)}, ${stateOf(index)}; ${edge.action}`;
    group.setAttribute("aria-label", label);
    group.querySelector("title").textContent = label;
  });
  const shown = drawnEdges();
  const current = shown.includes(state.chosen) ? state.chosen : shown[0];
  for (const index of view.edges.keys()) edgeElements[index].setAttribute("tabindex", index === current ? "0" : "-1");
  say("status", statusWords());
  fade();
  refreshExpected();
  refreshTable();
  if (state.chosen !== null) refreshBadge();
}

function statusWords() {
  const total = visibleEdges().length;
  const dropped = [...state.consensus.values()].filter((arc) => arc.fate === "dropped").length;
  const verdicts = total && !view.few ? `: ${counted()}` : "";
  const hidden = total - drawnEdges().length;
  return `${plural(total, "edge", "edges")} with a ${measure} above ${confidence(probabilityAt(state.threshold), 2)}${verdicts}` +
    (dropped ? `; ${dropped} more would close a cycle and ${dropped === 1 ? "is" : "are"} left out` : "") +
    (hidden ? `. ${total - hidden} of them are around ${name(state.around)}` : "") + ".";
}

// How many of the edges above the cut-off are expected to be wrong.
function refreshExpected() {
  if (!byId("expected")) return;
  const above = view.edges.filter((edge) => edge.confidence > state.threshold);
  const wrong = above.reduce((sum, edge) => sum + 1 - edge.probability, 0);
  say("expected", `Of ${above.length} edges above it, expect ${wrong.toFixed(1)} to be wrong.`);
}

function fade() {
  const node = state.node, part = state.part === null ? null : new Set(view.parts[state.part].nodes);
  const crowded = state.chosen !== null && drawnEdges().length > 40; // then a chosen edge needs the others to recede
  view.edges.forEach((edge, index) => {
    const aside = part !== null ? !(part.has(edge.first) && part.has(edge.second))
      : node !== null && state.around === null ? edge.first !== node && edge.second !== node : crowded && index !== state.chosen;
    edgeElements[index].classList.toggle("faded", aside);
    labelElements[index].classList.toggle("faded", aside);
    edgeElements[index].classList.toggle("chosen", index === state.chosen);
  });
  const near = new Set();
  if (node !== null) {
    for (const index of visibleEdges()) {
      const edge = view.edges[index];
      if (edge.first === node) near.add(edge.second);
      if (edge.second === node) near.add(edge.first);
    }
  }
  const ends = state.chosen === null ? [] : [view.edges[state.chosen].first, view.edges[state.chosen].second];
  nodeElements.forEach((element, v) => {
    element.classList.toggle("chosen", v === node || v === state.around);
    element.classList.toggle("near", near.has(v) || ends.includes(v));
    element.classList.toggle("faded", part !== null ? !part.has(v) : node !== null && state.around === null && v !== node && !near.has(v));
  });
}

function edgeKey(event, index) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    choose(index);
    byId("details").focus();
    return;
  }
  const shown = drawnEdges(), at = shown.indexOf(index);
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = shown[Math.max(0, Math.min(shown.length - 1, to))];
  for (const i of shown) edgeElements[i].setAttribute("tabindex", i === next ? "0" : "-1");
  edgeElements[next].focus();
}
