// ---- The network at a cut-off: the same steps as arcwise.confidence.consensus_network.

const TIE = 1e-9; // confidences that differ by less are equal, as in consensus_network

// An edge that the networks leave undirected at least as often as they point it either way has an open direction.
// The others enter by falling confidence; one that would close a cycle is left out. Arcs that the constraints require
// come first, whatever their confidence; a variable that has all the parents they allow takes no more; and open edges
// that follow from the directed ones are directed. (Whether limits leave room for all open edges is not asked here.)

const inNetwork = (arc) => arc !== undefined && ["kept", "undirected"].includes(arc.fate);
const visibleEdges = () => [...view.edges.keys()].filter((index) => inNetwork(state.consensus.get(index)));

function consensus(threshold) {
  const parents = view.nodes.map(() => new Set()), found = new Map(), entering = [];
  const required = view.known ? view.known.required : [];
  required.forEach(([tail, head]) => parents[head].add(tail));
  view.edges.forEach((edge, index) => {
    const arc = required.find((ends) => ends.includes(edge.first) && ends.includes(edge.second));
    if (arc) {
      found.set(index, { tail: arc[0], head: arc[1], fate: "kept" });
      return;
    }
    if (!(edge.confidence > threshold)) return;
    const [tail, head] = edge.forward >= edge.backward ? [edge.first, edge.second] : [edge.second, edge.first];
    const open = edge.undirected >= Math.max(edge.forward, edge.backward) - TIE || Math.abs(edge.forward - edge.backward) <= TIE;
    entering.push({ index, tail, head, open, present: edge.confidence });
  });
  entering.sort((s, t) => t.present - s.present || s.tail - t.tail || s.head - t.head);
  const reaches = (source, target) => {
    const stack = [target], seen = new Set([target]);
    while (stack.length) {
      const v = stack.pop();
      if (v === source) return true;
      for (const p of parents[v]) if (!seen.has(p)) { seen.add(p); stack.push(p); }
    }
    return false;
  };
  const isFull = (head) => view.known !== undefined && parents[head].size >= view.known.limits[head];
  for (const { index, tail, head, open } of entering) {
    const fate = open ? "undirected" : reaches(head, tail) ? "dropped" : isFull(head) ? "limited" : "kept";
    if (fate === "kept") parents[head].add(tail);
    found.set(index, { tail, head, fate });
  }
  if (view.known) direct([...found.values()].filter((arc) => arc.fate === "undirected"), parents, isFull);
  return found;
}

// Meek's rules: what must point from a to b, for else a cycle or a dependence would arise that no network shows.
function direct(open, parents, isFull) {
  const free = view.nodes.map(() => new Set());
  open.forEach(({ tail, head }) => { free[tail].add(head); free[head].add(tail); });
  const joined = (a, b) => free[a].has(b) || parents[a].has(b) || parents[b].has(a);
  const follows = (a, b) =>
    [...parents[a]].some((p) => !joined(p, b)) || [...parents[b]].some((c) => parents[c].has(a)) ||
    [...parents[b]].some((c) => free[a].has(c) && [...parents[b]].some((d) => d !== c && free[a].has(d) && !joined(c, d))) ||
    [...parents[b]].some((c) => joined(a, c) && [...parents[c]].some((d) => free[a].has(d) && d !== b && !joined(d, b)));
  for (let changed = true; changed;) {
    changed = false;
    for (const arc of open) {
      const ways = arc.fate === "kept" ? [] : [[arc.tail, arc.head], [arc.head, arc.tail]].filter(([a, b]) => follows(a, b));
      if (ways.length !== 1 || isFull(ways[0][1])) continue;
      const [a, b] = ways[0];
      Object.assign(arc, { tail: a, head: b, fate: "kept" });
      free[a].delete(b);
      free[b].delete(a);
      parents[b].add(a);
      changed = true;
    }
  }
}

function nameOf(edge, arc) { // the more credible direction first, as in the table
  if (arc && arc.fate === "kept") return `${name(arc.tail)} ${pointed(edge, arc) ? "→" : "—"} ${name(arc.head)}`;
  const [tail, head] = edge.backward > edge.forward ? [edge.second, edge.first] : [edge.first, edge.second];
  return `${name(tail)} — ${name(head)}`;
}

function stateOf(index) {
  const arc = state.consensus.get(index);
  return !arc ? "below the cut-off" : arc.fate === "dropped" ? "left out: it would close a cycle"
    : arc.fate === "limited" ? "left out: too many parents" : arc.fate === "undirected" ? "in the network, direction open" : "in the network";
}

// An arrow head for the way that Python calls likely or settled, and for no other.
const pointed = (edge, arc) => arc.fate === "kept" && (Boolean(view.few) || (Boolean(edge.leans) && arc.tail === edge.tail));
