// Clocks: how a game is timed, what each side has left, and when a flag falls. All times in seconds. What a side has left is
// `{left, stones}`: `stones` is 0 in main time, then the moves to make in a period (Canadian) or the periods left (byo-yomi).

/// The ways to time a game, each with what has to be said: name, label, usual value, least value.
export const KINDS = {
  none: { title: "No clocks", fields: [] },
  increment: { title: "Time for the game", fields: [["main", "seconds", 300, 1], ["increment", "more after each move", 0, 0]] },
  canadian: { title: "Time, then periods of several moves", fields: [["main", "seconds", 300, 0], ["period", "a period has", 60, 1], ["stones", "moves in it", 10, 1]] },
  byoyomi: { title: "Time, then periods of one move", fields: [["main", "seconds", 300, 0], ["period", "a period has", 20, 1], ["periods", "periods", 3, 1]] },
  move: { title: "So long for every move", fields: [["period", "seconds", 30, 1]] },
};

/// Seconds for every move are one period of one move, again and again.
const rule = (time) => (time.kind === "move" ? { kind: "byoyomi", main: 0, period: time.period, periods: 1 } : time);

/// What a side begins with.
export function full(time) {
  const { kind, main, period, stones, periods } = rule(time);
  if (kind === "increment" || main > 0) return { left: main, stones: 0 };
  return { left: period, stones: kind === "canadian" ? stones : periods };
}

/// What is left after so long a thought; `fallen` where that was too long.
export function thinking(time, state, seconds) {
  const { kind, period, stones: moves, periods } = rule(time);
  let { left, stones } = state;
  left -= seconds;
  if (left <= 0 && stones === 0 && kind === "canadian") [left, stones] = [left + period, moves];
  if (left <= 0 && kind === "byoyomi") {
    if (stones === 0) [left, stones] = [left + period, periods];
    while (left <= 0 && stones > 1) [left, stones] = [left + period, stones - 1];
  }
  return left > 0 ? { left, stones } : { left: 0, stones, fallen: true };
}

/// What is left once the move is made.
export function moved(time, state, seconds) {
  const { kind, increment, period, stones: moves } = rule(time);
  const { left, stones, fallen } = thinking(time, state, seconds);
  if (fallen) return { left, stones, fallen };
  if (kind === "increment") return { left: left + increment, stones };
  if (stones === 0) return { left, stones };
  if (kind === "byoyomi") return { left: period, stones };
  return stones > 1 ? { left, stones: stones - 1 } : { left: period, stones: moves };
}

/// The clock as a search is told it.
export const told = (time, { left, stones }) => ({ ...rule(time), left, stonesLeft: stones });

export function text(time, { left, stones }) {
  const tenths = left < 20;
  const shown = tenths ? Math.ceil(left * 10) / 10 : Math.ceil(left);
  const [hours, minutes, seconds] = [Math.floor(shown / 3600), Math.floor(shown / 60) % 60, shown % 60];
  const two = (number, digits = 0) => number.toFixed(digits).padStart(digits ? 4 : 2, "0");
  const clock = `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds, tenths ? 1 : 0)}`;
  if (!stones || time.kind === "move") return clock;
  return `${clock} · ${stones} ${time.kind === "canadian" ? (stones === 1 ? "move" : "moves") : stones === 1 ? "period" : "periods"}`;
}
