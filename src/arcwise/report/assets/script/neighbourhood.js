// ---- What is around a variable: it stands in the middle, its parents above, its children below, others further out.

const BOWS = [0, 0.08, -0.08, 0.2, -0.2, 0.34, -0.34]; // by which part of its length a line may leave the straight one
const RING = [195, 104]; // half the width and height of the first ellipse, at least

function neighbourhood(centre, distance) {
  const near = view.nodes.map(() => []);
  for (const index of visibleEdges()) {
    const edge = view.edges[index];
    near[edge.first].push([edge.second, index]);
    near[edge.second].push([edge.first, index]);
  }
  const ring = new Map([[centre, 0]]), inner = new Map(), outer = view.nodes.map(() => []), order = [centre];
  for (const v of order) {
    if (ring.get(v) === distance) continue;
    for (const [u] of near[v]) {
      if (ring.has(u)) continue;
      ring.set(u, ring.get(v) + 1);
      inner.set(u, v);
      outer[v].push(u);
      order.push(u);
    }
  }
  const angles = sectors(centre, outer, near, order);
  const { x, y } = onRings(order, ring, angles);
  return framed(order, x, y, ring);
}

// Each variable gets a part of the circle for itself and those behind it, by how much room their names take.
function sectors(centre, outer, near, order) {
  const weight = new Map(), angles = new Map();
  for (const v of [...order].reverse()) {
    weight.set(v, Math.max(view.drawing.w[v], outer[v].reduce((sum, u) => sum + weight.get(u), 0)));
  }
  const side = (u) => { // -1: above, as parents are; 1: below, as children; 0: beside, where the direction is open
    const arc = state.consensus.get(near[centre].find(([other]) => other === u)[1]);
    return arc.fate !== "kept" ? 0 : arc.head === centre ? -1 : 1;
  };
  const [above, beside, below] = [-1, 0, 1].map((wanted) => outer[centre].filter((u) => side(u) === wanted));
  const left = beside.filter((_, k) => k % 2 === 0), right = beside.filter((_, k) => k % 2 === 1);
  const first = [...left, ...above, ...right, ...below.reverse()];
  const total = first.reduce((sum, u) => sum + weight.get(u), 0) || 1;
  let at = 0;
  const spans = new Map(first.map((u) => {
    const from = at;
    at += (weight.get(u) / total) * 2 * Math.PI;
    return [u, [from, at]];
  }));
  // Turned so that parents are around the top, or else children around the bottom.
  const group = above.length ? above : below.length ? below : first;
  const from = Math.min(...group.map((u) => spans.get(u)[0])), to = Math.max(...group.map((u) => spans.get(u)[1]));
  const turn = (group === below ? Math.PI / 2 : -Math.PI / 2) - (group.length ? (from + to) / 2 : 0);
  const spread = (u, from, to) => {
    const middle = (from + to) / 2, half = Math.min((to - from) / 2, 0.45 * Math.PI); // never behind the centre's back
    const low = middle - half, high = middle + half;
    angles.set(u, middle);
    const sum = outer[u].reduce((all, w) => all + weight.get(w), 0);
    let start = low;
    for (const w of outer[u]) {
      const end = start + ((high - low) * weight.get(w)) / sum;
      spread(w, start, end);
      start = end;
    }
  };
  for (const u of first) spread(u, spans.get(u)[0] + turn, spans.get(u)[1] + turn);
  return angles;
}

// Rings are ellipses, as wide as it takes that no two names overlap.
function onRings(order, ring, angles) {
  const { w, h } = view.drawing, x = view.nodes.map(() => 0), y = view.nodes.map(() => 0), placed = [order[0]];
  let radius = 0;
  for (let k = 1; k <= Math.max(...ring.values()); k += 1) {
    const own = order.filter((v) => ring.get(v) === k);
    for (radius += 1; ; radius += 0.12) {
      for (const v of own) {
        x[v] = RING[0] * radius * Math.cos(angles.get(v));
        y[v] = RING[1] * radius * Math.sin(angles.get(v));
      }
      const clash = (u, v) => u !== v && Math.abs(x[u] - x[v]) < (w[u] + w[v]) / 2 + 14 && Math.abs(y[u] - y[v]) < h + 16;
      if (!own.some((v) => placed.some((u) => clash(u, v)) || own.some((u) => clash(u, v)))) break;
    }
    placed.push(...own);
  }
  return { x, y };
}

function framed(order, x, y) {
  const { w, h } = view.drawing, margin = 30;
  const left = Math.min(...order.map((v) => x[v] - w[v] / 2)) - margin, top = Math.min(...order.map((v) => y[v] - h / 2)) - margin;
  const right = Math.max(...order.map((v) => x[v] + w[v] / 2)) + margin, bottom = Math.max(...order.map((v) => y[v] + h / 2)) + margin;
  const times = stretch(right - left, bottom - top), taller = times * (bottom - top - 2 * margin - h) + h + 2 * margin;
  for (const v of order) { x[v] -= left; y[v] = times * (y[v] - top - margin - h / 2) + margin + h / 2; }
  const shown = new Set(order), paths = [], middles = [];
  for (const index of visibleEdges()) {
    const { first: a, second: b } = view.edges[index];
    if (!shown.has(a) || !shown.has(b)) continue;
    const { path, middle } = bowed(a, b, x, y, order);
    paths[index] = path;
    middles[index] = middle;
  }
  return { x, y, size: [right - left, taller], paths, middles, shown };
}

// A curve between two nodes that meets as few others as possible: the page's own of arcwise.plotting.layout._bowed.
function bowed(a, b, x, y, others) {
  const { w, h } = view.drawing, length = Math.hypot(x[b] - x[a], y[b] - y[a]) || 1;
  const normal = [(y[a] - y[b]) / length, (x[b] - x[a]) / length];
  let best = null;
  for (const bow of BOWS) {
    const cx = (x[a] + x[b]) / 2 + normal[0] * bow * length, cy = (y[a] + y[b]) / 2 + normal[1] * bow * length;
    let cost = Math.abs(bow);
    for (let t = 1 / 12; t < 1; t += 1 / 12) {
      const s = 1 - t, px = s * s * x[a] + 2 * s * t * cx + t * t * x[b], py = s * s * y[a] + 2 * s * t * cy + t * t * y[b];
      for (const v of others) if (v !== a && v !== b && Math.abs(px - x[v]) < w[v] / 2 + 3 && Math.abs(py - y[v]) < h / 2 + 3) cost += 1;
    }
    if (best === null || cost < best.cost - 1e-9) best = { cost, cx, cy };
  }
  const { cx, cy } = best;
  const border = (v) => {
    const dx = cx - x[v], dy = cy - y[v];
    const scale = Math.min(1, dx ? w[v] / 2 / Math.abs(dx) : Infinity, dy ? h / 2 / Math.abs(dy) : Infinity);
    return [x[v] + dx * scale, y[v] + dy * scale];
  };
  const [sx, sy] = border(a), [ex, ey] = border(b);
  const at = (p, c, q) => 0.25 * p + 0.5 * c + 0.25 * q;
  return { path: `M${sx.toFixed(1)},${sy.toFixed(1)}Q${cx.toFixed(1)},${cy.toFixed(1)} ${ex.toFixed(1)},${ey.toFixed(1)}`,
    middle: [at(sx, cx, ex), at(sy, cy, ey)] };
}

function goAround(v) { // null: back to the whole network
  state.around = v;
  state.part = null;
  byId("around").setAttribute("aria-pressed", String(v !== null));
  byId("whole").setAttribute("aria-pressed", String(v === null));
  byId("distance-control").hidden = v === null;
  if (v === null) place(whole);
  if (state.node !== null) showVariable(state.node);
  redraw();
  scaleTo(null);
  markPart();
}

function buildViews() {
  byId("whole").disabled = !view.drawing.x.length;
  byId("whole").addEventListener("click", () => goAround(null));
  byId("around").addEventListener("click", () => {
    const busiest = () => { // the variable with most edges, if none is chosen
      const degree = view.nodes.map(() => 0);
      for (const index of visibleEdges()) { degree[view.edges[index].first] += 1; degree[view.edges[index].second] += 1; }
      return degree.indexOf(Math.max(...degree));
    };
    const v = state.node !== null ? state.node : view.target !== undefined ? view.target : busiest();
    chooseNode(v);
    goAround(v);
  });
  byId("distance").addEventListener("input", () => {
    byId("distance-value").textContent = byId("distance").value;
    redraw();
    scaleTo(null);
  });
  byId("find").addEventListener("change", () => {
    const wanted = byId("find").value.trim().toLowerCase();
    if (!wanted) return;
    const names = view.nodes.map((node) => node.name.toLowerCase());
    const found = [names.indexOf(wanted), names.findIndex((text) => text.startsWith(wanted)), names.findIndex((text) => text.includes(wanted))].find((v) => v >= 0);
    say("found", found === undefined ? `No variable is called ${byId("find").value}.` : `${name(found)} is shown.`);
    if (found === undefined) return;
    chooseNode(found);
    if (state.around !== null) goAround(found);
    else zoomTo([found]);
  });
  for (const node of view.nodes) byId("names").append(make("option", { value: node.name }));
}
