// Black's expected score over the game. Proven values are squares, bounds hollow; a click goes there.

import { svg } from "./text.js";

const [WIDTH, HEIGHT, EDGE] = [400, 110, 6];

export class Graph {
  #svg = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", preserveAspectRatio: "none" });
  #length = 1;
  /// Called with a ply.
  onclick = () => {};

  constructor(frame) {
    frame.append(this.#svg);
    this.#svg.addEventListener("click", (event) => {
      const box = this.#svg.getBoundingClientRect();
      const part = ((event.clientX - box.left) / box.width) * WIDTH;
      const ply = Math.round(((part - EDGE) / (WIDTH - 2 * EDGE)) * this.#length);
      this.onclick(Math.max(0, Math.min(this.#length, ply)));
    });
  }

  draw(values, length, ply) {
    this.#length = Math.max(length, 1);
    const x = (n) => EDGE + (n / this.#length) * (WIDTH - 2 * EDGE);
    const y = (share) => EDGE + (1 - share) * (HEIGHT - 2 * EDGE);
    const points = Object.entries(values).map(([n, value]) => [Number(n), value]).filter(([n]) => n <= length).sort((a, b) => a[0] - b[0]);
    const line = points.map(([n, { share }]) => `${x(n).toFixed(1)},${y(share).toFixed(1)}`);
    const drawn = [
      svg("rect", { class: "upper", x: 0, y: 0, width: WIDTH, height: HEIGHT / 2 }),
      svg("line", { class: "even", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      svg("line", { class: "now", x1: x(ply), x2: x(ply), y1: 0, y2: HEIGHT }),
    ];
    if (line.length > 1) drawn.push(svg("polyline", { class: "course", points: line.join(" ") }));
    for (const [n, { share, kind }] of points) {
      const [cx, cy] = [x(n), y(share)];
      const mark = kind === "proven" ? svg("rect", { class: "proven", x: cx - 3, y: cy - 3, width: 6, height: 6 }) : svg("circle", { class: kind === "exact" ? "exact" : "bound", cx, cy, r: 2.6 });
      mark.append(svg("title", {}, `after move ${n}: Black ${{ upper: "at most ", lower: "at least " }[kind] ?? ""}${Math.round(100 * share)} %${kind === "proven" ? ", proven" : ""}`));
      drawn.push(mark);
    }
    this.#svg.replaceChildren(...drawn);
    const now = values[ply];
    this.#svg.setAttribute("aria-label", `Black's expected score over ${length} moves${now ? `; now ${Math.round(100 * now.share)} percent` : ""}`);
  }
}
