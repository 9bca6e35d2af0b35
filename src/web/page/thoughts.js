// What the engine thinks of a position: the list of candidates, with what is certain and what is only a bound marked as that.

import { at, html, short } from "./text.js";

/// How the list and the board write a value of the side to move.
export function score(move) {
  if (move.proven === "win") return "wins";
  if (move.proven === "loss") return "loses";
  if (move.proven === "draw") return "draw";
  const sign = { upper: "≤ ", lower: "≥ " }[move.bound] ?? "";
  return `${sign}${Math.round(100 * move.winrate)} %`;
}

/// Black's expected score and how sure it is, of an answer.
export function judge({ moveInfos, rootInfo }) {
  const { currentPlayer: turn, proven, result } = rootInfo;
  if (result) return { share: { b: 1, w: 0 }[result] ?? 0.5, kind: "proven" };
  const best = moveInfos[0];
  const sure = proven ?? (best?.proven === "win" ? "win" : null);
  if (sure) {
    const mine = { win: 1, loss: 0 }[sure] ?? 0.5;
    return { share: turn === "b" ? mine : 1 - mine, kind: "proven" };
  }
  const mine = rootInfo.winrate ?? best?.winrate;
  if (mine === undefined || mine === null) return null;
  let kind = best?.bound ?? "exact";
  // A lower bound for White is an upper one for Black.
  if (turn === "w" && kind !== "exact") kind = kind === "upper" ? "lower" : "upper";
  return { share: turn === "b" ? mine : 1 - mine, kind };
}

/// The bar between the players.
export function showShare(value) {
  const bar = at("bar");
  bar.classList.toggle("unknown", !value);
  bar.classList.toggle("proven", value?.kind === "proven");
  const black = value ? Math.round(100 * value.share) : 50;
  at("share").style.width = `${black}%`;
  const sign = { upper: "≤ ", lower: "≥ " }[value?.kind] ?? "";
  const turned = { upper: "≥ ", lower: "≤ " }[value?.kind] ?? "";
  const sure = value?.kind === "proven";
  at("share-b").hidden = black < 14;
  at("share-w").hidden = black > 86;
  at("share-b").textContent = value ? (sure ? { 100: "wins", 50: "draw" }[black] ?? "" : `${sign}${black} %`) : "";
  at("share-w").textContent = value ? (sure ? { 0: "wins", 50: "draw" }[black] ?? "" : `${turned}${100 - black} %`) : "";
  bar.setAttribute("aria-label", value ? `Expected score: Black ${sign}${black} percent${sure ? ", proven" : ""}` : "Expected score: not known");
}

/// The candidates, the best with what is proven of the position.
function certain({ moveInfos: [best, ...others], rootInfo: { proven } }) {
  return best ? [{ ...best, proven: best.proven ?? proven ?? undefined }, ...others] : [];
}

export class Thoughts {
  #shown = 12;
  /// Called with the line to preview, or null.
  onpreview = () => {};
  /// Called with a move to play.
  onplay = () => {};

  clear(text = "“Analyse” lets the engine look at this position.") {
    at("work").textContent = text;
    at("lines").tBodies[0].replaceChildren();
  }

  show(answer) {
    const { moveInfos, rootInfo: root } = answer;
    const parts = [`${{ b: "Black", w: "White" }[root.currentPlayer] ?? "Nobody"} to move`];
    if (root.proven) parts.push({ win: "wins, proven", loss: "loses, proven", draw: "draw, proven" }[root.proven]);
    if (root.depth) parts.push(`depth ${root.depth}`);
    if (root.visits) parts.push(`${short(root.visits)} ${root.simulations ? "simulations" : "nodes"}`);
    if (root.nodesPerSecond) parts.push(`${short(root.nodesPerSecond)} nodes/s`);
    if (root.deputy || root.searcher) parts.push((root.deputy ?? root.searcher).split(" ")[0]);
    if (root.network) parts.push(`network ${root.network}`);
    if (root.calibrated === false && moveInfos.length) parts.push("scores not calibrated");
    if (!moveInfos.length && !answer.isDuringSearch && !root.result) parts.push("tells no values");
    at("work").textContent = parts.join(" · ");
    const body = at("lines").tBodies[0];
    const focused = document.activeElement?.closest?.("#lines tr")?.dataset.move;
    const rows = certain(answer).slice(0, this.#shown).map((move) => this.#row(move));
    body.replaceChildren(...rows);
    if (focused) rows.find((row) => row.dataset.move === focused)?.querySelector("button").focus();
  }

  #row(move) {
    const line = move.pv.slice(1, 12).join(" ");
    const preview = (on) => () => this.onpreview(on ? move.pv : null);
    return html(
      "tr",
      { "data-move": move.move, class: move.proven ? `proven ${move.proven}` : move.bound ? "bound" : "", onmouseenter: preview(true), onmouseleave: preview(false), onfocusin: preview(true), onfocusout: preview(false) },
      html("td", {}, html("button", { class: "plain", title: "Play it", onclick: () => this.onplay(move.move) }, move.move)),
      html("td", { class: "score", title: move.proven ? "Proven" : move.bound && !move.visits ? "Not proven in the time there was: no better than the best move" : move.bound ? "Only a bound: the search looked no further" : "Expected score of the side to move" }, score(move)),
      html("td", { class: "number" }, move.visits ? short(move.visits) : ""),
      html("td", { class: "line" }, line),
    );
  }
}

/// Candidates for the board: those that the search took seriously.
export function hints(answer, ways) {
  const moveInfos = certain(answer);
  const trails = new Map(ways.map(([move, list]) => [move, list[0]]));
  const most = Math.max(...moveInfos.map((move) => move.visits), 1);
  const shown = moveInfos.filter((move, i) => trails.get(move.move) && (i === 0 || (move.visits >= most / 50 && move.proven !== "loss" && i < 8)));
  return shown.map((move, i) => ({
    trail: trails.get(move.move),
    best: i === 0,
    text: { draw: "=" }[move.proven] ?? move.proven ?? `${{ upper: "≤", lower: "≥" }[move.bound] ?? ""}${Math.round(100 * move.winrate)}`,
  }));
}
