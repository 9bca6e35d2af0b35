// The board, drawn from what a game tells of its places. Knows looks (squares, hexagons, holes, pits) and no game.

import { colour, svg } from "./text.js";

const UNIT = 100;
const DRAWN_SEEDS = 40;
const HALF_HEXAGON = 1 / Math.sqrt(3);

export class Board {
  #svg;
  #layers = {};
  #board = null;
  #spots = new Map();
  #focus = null;
  /// Called with the name of a place.
  onclick = () => {};

  constructor(frame) {
    this.#svg = svg("svg", { id: "board", role: "group", "aria-label": "Board" });
    for (const layer of ["ground", "spots", "marks", "hints"])
      this.#svg.append((this.#layers[layer] = svg("g", { class: layer, "aria-hidden": layer === "spots" ? undefined : "true" })));
    frame.append(this.#svg);
    this.#svg.addEventListener("keydown", (event) => this.#key(event));
    this.#listen();
  }

  /// Draws a position. `moved`: the places of the move that led here, to show it moving.
  draw(board, { last, moved, labels }) {
    const focused = this.#svg.contains(document.activeElement);
    this.#board = board;
    const plain = board.spots.every((spot) => spot.dark);
    this.#svg.setAttribute("class", `${board.look}${plain ? " plain" : ""}`);
    this.#frame(board);
    this.#spots.clear();
    const spots = board.spots.map((spot) => {
      const drawn = this.#spot(spot, labels(spot));
      this.#spots.set(spot.name, { spot, drawn });
      return drawn;
    });
    this.#layers.spots.replaceChildren(...spots);
    this.#layers.ground.replaceChildren(...this.#ground(board));
    this.#layers.hints.replaceChildren();
    this.mark({ last });
    if (!this.#spots.has(this.#focus)) this.#focus = board.spots[0]?.name;
    const holder = this.#spots.get(this.#focus)?.drawn;
    holder?.setAttribute("tabindex", "0");
    if (focused) holder?.focus();
    if (moved) this.#animate(moved);
  }

  /// Marks the last move, the path clicked so far, and where it may go on.
  mark({ last = [], path = [], next = new Set(), origins = new Set(), quiet = false }) {
    const marks = [];
    const on = (names, make) => {
      for (const name of names ?? []) {
        const spot = this.#spots.get(name)?.spot;
        if (spot) marks.push(make(spot));
      }
    };
    on(path, (spot) => this.#shape(spot, "path"));
    on(next, (spot) => spot.seeds !== undefined ? this.#shape(spot, "target around") : svg("circle", { class: "target", cx: spot.x * UNIT, cy: spot.y * UNIT, r: spot.piece ? 44 : 14 }));
    this.#layers.marks.replaceChildren(...marks);
    // Where a piece may go is to be seen below what the engine thinks.
    this.#svg.classList.toggle("picking", path.length > 0);
    for (const [name, { drawn }] of this.#spots) {
      drawn.classList.toggle("origin", origins.has(name) || next.has(name));
      drawn.classList.toggle("quiet", quiet);
      drawn.classList.toggle("was", last?.includes(name) ?? false);
      drawn.setAttribute("aria-pressed", String(path.includes(name)));
    }
  }

  /// Candidates, best first: `{trail, text, best, share}`.
  hint(candidates) {
    const drawn = [];
    const taken = new Set();
    for (const { trail, text, best } of candidates) {
      const from = this.#spots.get(trail[0])?.spot;
      const to = this.#spots.get(trail.at(-1))?.spot;
      if (!from || !to || taken.has(to.name)) continue;
      taken.add(to.name);
      // Over the seeds, which must still be read.
      const [y, r] = to.seeds === undefined ? [to.y * UNIT, 30] : [to.y * UNIT - 30, 21];
      const group = svg("g", { class: best ? "hint best" : "hint" });
      if (from !== to) group.append(svg("line", { x1: from.x * UNIT, y1: from.y * UNIT, x2: to.x * UNIT, y2: to.y * UNIT }));
      group.append(svg("circle", { cx: to.x * UNIT, cy: y, r }), svg("text", { x: to.x * UNIT, y }, text));
      drawn.push(group);
    }
    // The best one on top.
    this.#layers.hints.replaceChildren(...drawn.reverse());
  }

  /// Whether the board shows something else than the game for a moment.
  preview(on) {
    this.#svg.classList.toggle("preview", on);
  }

  #frame({ spots, labels, borders }) {
    const x = [...spots.map((s) => s.x - 0.55), ...spots.map((s) => s.x + 0.55), ...labels.map((l) => l.x - 0.25), ...labels.map((l) => l.x + 0.25), ...borders.flatMap((b) => [b.from[0], b.to[0]])];
    const y = [...spots.map((s) => s.y - s_height(s)), ...spots.map((s) => s.y + s_height(s)), ...labels.map((l) => l.y - 0.25), ...labels.map((l) => l.y + 0.25), ...borders.flatMap((b) => [b.from[1], b.to[1]])];
    const [left, right, top, bottom] = [Math.min(...x) - 0.1, Math.max(...x) + 0.1, Math.min(...y) - 0.1, Math.max(...y) + 0.1];
    this.#svg.setAttribute("viewBox", [left, top, right - left, bottom - top].map((n) => Math.round(n * UNIT)).join(" "));
  }

  #ground({ look, spots, borders, labels }) {
    const drawn = [];
    if (look === "hole" || look === "pit") {
      const [left, right] = [Math.min(...spots.map((s) => s.x)) - 0.52, Math.max(...spots.map((s) => s.x)) + 0.52];
      const [top, bottom] = [Math.min(...spots.map((s) => s.y - s_height(s))), Math.max(...spots.map((s) => s.y + s_height(s)))];
      drawn.push(svg("rect", { class: "table", x: left * UNIT, y: top * UNIT, width: (right - left) * UNIT, height: (bottom - top) * UNIT, rx: 26 }));
    }
    for (const { owner, from, to } of borders)
      drawn.push(svg("line", { class: `border ${owner}`, x1: from[0] * UNIT, y1: from[1] * UNIT, x2: to[0] * UNIT, y2: to[1] * UNIT }));
    for (const { x, y, text } of labels) drawn.push(svg("text", { class: "label", x: x * UNIT, y: y * UNIT }, text));
    return drawn;
  }

  #spot(spot, label) {
    const shape = this.#shape(spot, `ground${spot.dark ? " dark" : ""}${spot.owner ? " of-" + spot.owner : ""}`);
    const drawn = svg("g", { class: "spot", "data-name": spot.name, role: "button", tabindex: "-1", "aria-label": label }, shape);
    if (spot.piece) drawn.append(piece(spot));
    if (spot.seeds !== undefined) drawn.append(...seeds(spot));
    drawn.append(this.#shape(spot, "hit"));
    return drawn;
  }

  #shape({ x, y, height = 1 }, kind) {
    const [cx, cy] = [x * UNIT, y * UNIT];
    switch (this.#board.look) {
      case "hexagon": {
        const corner = (i) => {
          const angle = (Math.PI / 3) * i + Math.PI / 6;
          return `${(cx + Math.cos(angle) * HALF_HEXAGON * UNIT).toFixed(1)},${(cy + Math.sin(angle) * HALF_HEXAGON * UNIT).toFixed(1)}`;
        };
        return svg("polygon", { class: kind, points: [0, 1, 2, 3, 4, 5].map(corner).join(" ") });
      }
      case "hole":
        return svg("circle", { class: kind, cx, cy, r: kind === "hit" ? 50 : 42 });
      case "pit":
        return svg("rect", { class: kind, x: cx - 45, y: cy - (height * UNIT) / 2 + 5, width: 90, height: height * UNIT - 10, rx: 45 });
      default:
        return svg("rect", { class: kind, x: cx - 50, y: cy - 50, width: UNIT, height: UNIT });
    }
  }

  #animate(trail) {
    const to = this.#spots.get(trail.at(-1));
    const body = to?.drawn.querySelector(".piece");
    if (!body || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const from = trail.length > 1 ? trail.map((name) => this.#spots.get(name)?.spot).filter(Boolean) : [];
    const shift = (spot) => ({ transform: `translate(${(spot.x - to.spot.x) * UNIT}px, ${(spot.y - to.spot.y) * UNIT}px)` });
    let frames = [{ opacity: 0 }, { opacity: 1 }];
    if (from.length > 1) frames = from.map(shift);
    else if (this.#board.look === "hole") {
      const top = Math.min(...this.#board.spots.map((spot) => spot.y));
      frames = [shift({ x: to.spot.x, y: top }), { transform: "none" }];
    }
    body.animate(frames, { duration: 160 + 60 * from.length, easing: "ease-in-out" });
  }

  #listen() {
    const name = (target) => target?.closest?.(".spot")?.getAttribute("data-name");
    let pressed = null;
    let drop = null;
    // A piece that can move is dragged, not the page.
    this.#svg.addEventListener("touchmove", (event) => drop && event.cancelable && event.preventDefault(), { passive: false });
    const release = () => {
      drop?.();
      drop = null;
    };
    this.#svg.addEventListener("pointerdown", (event) => {
      if (event.button || !event.isPrimary) return;
      pressed = name(event.target);
      drop = this.#drag(event);
      if (event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
    });
    // From one place to another: dragged. The click that a browser sends for the same place follows by itself.
    this.#svg.addEventListener("pointercancel", () => {
      release();
      pressed = null;
    });
    document.addEventListener("pointerup", (event) => {
      release();
      const to = name(document.elementFromPoint(event.clientX, event.clientY));
      if (pressed && to && to !== pressed) {
        this.onclick(pressed, true);
        this.onclick(to);
      }
      pressed = null;
    });
    this.#svg.addEventListener("click", (event) => {
      const clicked = name(event.target);
      if (!clicked) return;
      this.#give(clicked);
      this.onclick(clicked);
    });
  }

  /// The piece below the pointer follows it, if it can move; the answer lets it go.
  #drag(event) {
    const spot = event.target.closest?.(".spot.origin");
    const body = spot?.querySelector(".piece");
    const scale = this.#svg.getScreenCTM()?.a;
    if (!body || !scale) return null;
    const follow = (now) => {
      const [dx, dy] = [(now.clientX - event.clientX) / scale, (now.clientY - event.clientY) / scale];
      body.classList.add("dragged");
      body.setAttribute("transform", `translate(${dx.toFixed(1)} ${dy.toFixed(1)})`);
    };
    this.#svg.addEventListener("pointermove", follow);
    return () => {
      this.#svg.removeEventListener("pointermove", follow);
      body.classList.remove("dragged");
      body.removeAttribute("transform");
    };
  }

  #give(name) {
    this.#spots.get(this.#focus)?.drawn.setAttribute("tabindex", "-1");
    this.#focus = name;
    this.#spots.get(name)?.drawn.setAttribute("tabindex", "0");
  }

  #key(event) {
    const here = this.#spots.get(this.#focus)?.spot;
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.onclick(this.#focus);
      return;
    }
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    // The nearest place whose direction is closer to the arrow's than to another one's.
    let [best, least] = [null, Infinity];
    for (const { spot } of this.#spots.values()) {
      const [dx, dy] = [spot.x - here.x, spot.y - here.y];
      const [ahead, aside] = [dx * way[0] + dy * way[1], Math.abs(dx * way[1]) + Math.abs(dy * way[0])];
      if (ahead < 0.3 || aside > ahead + 0.01) continue;
      if (ahead + 2 * aside < least) [best, least] = [spot.name, ahead + 2 * aside];
    }
    if (!best) return;
    this.#give(best);
    this.#spots.get(best).drawn.focus();
  }
}

const s_height = (spot) => (spot.height ?? 1) * 0.5 + 0.08;

function piece({ x, y, piece, crowned }) {
  const [cx, cy] = [x * UNIT, y * UNIT];
  const drawn = svg("g", { class: `piece ${piece}` }, svg("circle", { cx, cy, r: 37 }), svg("circle", { class: "ring", cx, cy, r: 27 }));
  if (crowned) {
    const points = [[-17, 11], [-20, -10], [-9, 0], [0, -15], [9, 0], [20, -10], [17, 11]];
    drawn.append(svg("polygon", { class: "crown", points: points.map(([dx, dy]) => `${cx + dx},${cy + dy}`).join(" ") }));
  }
  return drawn;
}

function seeds({ x, y, height = 1, seeds }) {
  const [cx, cy] = [x * UNIT, y * UNIT];
  const count = Math.min(seeds, DRAWN_SEEDS);
  const drawn = [];
  const spread = Math.min(30, 8 + 3.6 * Math.sqrt(count) * 1.6);
  for (let i = 0; i < count; i++) {
    // Sunflower's arrangement: even, whatever the number.
    const [angle, far] = [i * 2.39996, Math.sqrt((i + 0.5) / count) * spread];
    drawn.push(svg("circle", { class: `seed s${i % 3}`, cx: (cx + Math.cos(angle) * far).toFixed(1), cy: (cy - 4 + Math.sin(angle) * far * (height > 1 ? 2.2 : 1)).toFixed(1), r: 6 }));
  }
  drawn.push(svg("text", { class: "count", x: cx, y: cy + (height * UNIT) / 2 - 22 }, String(seeds)));
  return drawn;
}

/// What a screen reader says of a place.
export function say(spot, { can, last }) {
  const parts = [spot.name];
  if (spot.seeds !== undefined) parts.push(`${spot.seeds} ${spot.seeds === 1 ? "seed" : "seeds"}`);
  else if (spot.piece) parts.push(`${colour(spot.piece).toLowerCase()} ${spot.crowned ? "king" : "piece"}`);
  else parts.push("empty");
  if (last) parts.push("last move");
  if (can) parts.push(spot.piece ? "can move" : "can be played");
  return parts.join(", ");
}
