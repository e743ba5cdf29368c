// ---- Exact inference: evidence is propagated through a tree of cliques (Lauritzen and Spiegelhalter 1988).

// Variables are eliminated in the given order. The clique of one is it and all that are joined to it then; its table has
// the eliminated variable as the last, fastest index, so that summing it out is a sum over neighbouring cells, and what
// remains, the separator, is an index by itself. A clique hangs on that of the variable of its separator which is
// eliminated first. Evidence is collected towards the root and then distributed by the ratio of the new to the old
// separator (Jensen, Lauritzen and Olesen 1990). Messages are scaled to sum to 1; the scales make the log probability
// of the evidence.
function junctionTree(arities, parents, tables, order) {
  const place = [];
  order.forEach((v, k) => { place[v] = k; });
  const cliques = cliquesOf(arities, parents, order, place);
  parents.forEach((own, child) => {
    const family = [...own, child];
    const home = cliques[Math.min(...family.map((v) => place[v]))];
    const cells = cellMap(home, family, arities);
    home.families.set(child, cells);
    for (let cell = 0; cell < home.size; cell += 1) home.base[cell] *= tables[child][cells[cell]];
  });

  function propagate(evidence) { // evidence: a Map from variables to states
    let logEvidence = 0;
    for (const clique of cliques) clique.now = clique.base.slice();
    for (const clique of cliques) {
      const width = arities[clique.own], now = clique.now;
      if (evidence.has(clique.own)) {
        const known = evidence.get(clique.own);
        for (let cell = 0; cell < now.length; cell += 1) if (cell % width !== known) now[cell] = 0;
      }
      const sums = new Float64Array(clique.size / width);
      let total = 0;
      for (let cell = 0, at = 0; at < sums.length; at += 1) {
        for (let k = 0; k < width; k += 1, cell += 1) sums[at] += now[cell];
        total += sums[at];
      }
      if (!(total > 0)) return null; // the evidence is impossible
      logEvidence += Math.log(total);
      for (let at = 0; at < sums.length; at += 1) sums[at] /= total;
      for (let cell = 0; cell < now.length; cell += 1) now[cell] /= total;
      clique.message = sums;
      if (clique.up === null) continue;
      const upper = clique.up.now, cells = clique.cells;
      for (let cell = 0; cell < upper.length; cell += 1) upper[cell] *= sums[cells[cell]];
    }
    const marginals = [];
    for (let k = cliques.length - 1; k >= 0; k -= 1) {
      const clique = cliques[k], width = arities[clique.own], now = clique.now;
      if (clique.up !== null) {
        const fresh = new Float64Array(clique.message.length), upper = clique.up.now, cells = clique.cells;
        for (let cell = 0; cell < upper.length; cell += 1) fresh[cells[cell]] += upper[cell];
        for (let at = 0; at < fresh.length; at += 1) {
          const ratio = clique.message[at] > 0 ? fresh[at] / clique.message[at] : 0;
          for (let j = 0; j < width; j += 1) now[at * width + j] *= ratio;
        }
      }
      const found = new Float64Array(width);
      for (let cell = 0; cell < now.length; cell += 1) found[cell % width] += now[cell];
      marginals[clique.own] = scaled(found);
    }
    return { marginals, logEvidence };
  }

  function family(child) { // the joint distribution of a variable and its parents after the last propagation
    const home = cliques.find((clique) => clique.families.has(child)), cells = home.families.get(child);
    const joint = new Float64Array(tables[child].length);
    for (let cell = 0; cell < home.size; cell += 1) joint[cells[cell]] += home.now[cell];
    return scaled(joint);
  }

  return { propagate, family, cells: cliques.reduce((sum, clique) => sum + clique.size, 0) };
}

function scaled(values) {
  const total = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => value / total);
}

function cliquesOf(arities, parents, order, place) {
  const near = arities.map(() => new Set());
  parents.forEach((own, child) => {
    const family = [...own, child];
    for (const a of family) for (const b of family) if (a !== b) near[a].add(b);
  });
  const cliques = order.map((v) => {
    const rest = [...near[v]].sort((a, b) => place[a] - place[b]);
    for (const a of rest) {
      near[a].delete(v);
      for (const b of rest) if (a !== b) near[a].add(b);
    }
    const members = [...rest, v], size = members.reduce((product, u) => product * arities[u], 1);
    return { own: v, members, size, base: new Float64Array(size).fill(1), families: new Map(), up: null };
  });
  for (const clique of cliques) {
    if (clique.members.length === 1) continue;
    clique.up = cliques[place[clique.members[0]]];
    clique.cells = cellMap(clique.up, clique.members.slice(0, -1), arities);
  }
  return cliques;
}

// For each cell of a clique, the cell of a table over some of its members, whose last index is the fastest.
function cellMap(clique, variables, arities) {
  const cells = new Int32Array(clique.size);
  let step = 1;
  const steps = new Map();
  for (const v of [...variables].reverse()) { steps.set(v, step); step *= arities[v]; }
  let stride = 1;
  for (const v of [...clique.members].reverse()) {
    if (steps.has(v)) {
      for (let cell = 0; cell < clique.size; cell += 1) cells[cell] += (Math.floor(cell / stride) % arities[v]) * steps.get(v);
    }
    stride *= arities[v];
  }
  return cells;
}

// What the variable at one position of a family tells about the child beyond the other parents, in bits: the mutual
// information I(child; parent | the other parents) under the joint distribution of the family.
function informationOf(joint, sizes, position) {
  const last = sizes.length - 1, child = sizes[last];
  const without = new Map(), seen = new Map();
  let stride = 1;
  for (let k = last; k > position; k -= 1) stride *= sizes[k];
  const rest = (cell) => cell - (Math.floor(cell / stride) % sizes[position]) * stride;
  const add = (map, key, value) => map.set(key, (map.get(key) || 0) + value);
  joint.forEach((value, cell) => {
    add(without, rest(cell), value); // over the child's state and the other parents
    add(seen, Math.floor(rest(cell) / child), value); // over the other parents
  });
  let bits = 0;
  joint.forEach((value, cell) => {
    if (!(value > 0)) return;
    const row = Math.floor(cell / child) * child;
    let total = 0;
    for (let k = 0; k < child; k += 1) total += joint[row + k];
    const usual = without.get(rest(cell)) / seen.get(Math.floor(rest(cell) / child));
    bits += value * Math.log2(value / total / usual);
  });
  return Math.max(0, bits);
}
