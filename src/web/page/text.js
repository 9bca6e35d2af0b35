// Elements, and the game as text: links. What comes from outside becomes text nodes and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

export const html = (tag, attributes, ...children) =>
  build(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  build(document.createElementNS(SVG, tag), attributes, children);
export const at = (id) => document.getElementById(id);

export const colour = (player) => (player === "b" ? "Black" : "White");
export const other = (player) => (player === "b" ? "w" : "b");

/// 1234567 as 1.2M.
export function short(number) {
  if (number < 1e3) return String(Math.round(number));
  for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (number >= unit) {
      const part = number / unit;
      return (part < 10 ? part.toFixed(1) : Math.round(part)) + letter;
    }
}

/// The options that are not as usual, as `key=value` words.
export const words = (variant) =>
  Object.entries(variant).map(([name, value]) => `${name}=${value}`).join(" ");

export function fromWords(text) {
  const pairs = (text ?? "").split(/\s+/).filter((word) => word.includes("="));
  return Object.fromEntries(pairs.map((word) => {
    const cut = word.indexOf("=");
    return [word.slice(0, cut), word.slice(cut + 1)];
  }));
}

/// What a link holds: the game, where it began, its moves up to the position shown.
export function toLink(game) {
  const link = new URLSearchParams({ game: game.name });
  if (Object.keys(game.variant).length) link.set("variant", words(game.variant));
  if (game.position) link.set("position", game.position);
  const moves = game.moves.slice(0, game.ply).map(([player, move]) => `${player}.${move}`);
  if (moves.length) link.set("moves", moves.join(" "));
  return "#" + link;
}

export function fromLink(text) {
  const link = new URLSearchParams(text.replace(/^#/, ""));
  if (!link.get("game")) return null;
  const moves = (link.get("moves") ?? "").split(/\s+/).filter(Boolean);
  return {
    name: link.get("game"),
    variant: fromWords(link.get("variant")),
    position: link.get("position") || null,
    moves: moves.map((move) => (/^[bw]\./.test(move) ? [move[0], move.slice(2)] : ["", move])),
  };
}
