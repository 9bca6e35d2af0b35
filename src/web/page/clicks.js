// From clicks to a move. A move is shown by clicking its places in order (its trail); a long one may be cut short by clicking its
// last place as soon as only one move ends there.

export class Clicks {
  #ways = [];
  #look = "";
  #spots = [];
  path = [];

  /// New position. `ways` are moves with their trails.
  set(ways, board) {
    this.#ways = ways.flatMap(([move, trails]) => trails.map((trail) => ({ move, trail })));
    this.#look = board.look;
    this.#spots = board.spots;
    this.path = [];
  }

  /// Places that can be clicked next.
  next(path = this.path) {
    const fits = this.#ways.filter(({ trail }) => starts(trail, path) && trail.length > path.length);
    return new Set(fits.map(({ trail }) => trail[path.length]));
  }

  /// The last places of the moves that begin like the path, where that is enough to know the move.
  ends() {
    if (!this.path.length) return new Set();
    const fits = this.#ways.filter(({ trail }) => starts(trail, this.path));
    return new Set(fits.map(({ trail }) => trail.at(-1)).filter((name) => moves(fits.filter(({ trail }) => trail.at(-1) === name)).length === 1));
  }

  /// Moves that a click plays: none yet, one, or several between which only their names decide.
  click(name) {
    name = this.#meant(name);
    const longer = [...this.path, name];
    const going = this.#ways.filter(({ trail }) => starts(trail, longer));
    if (going.length) {
      const done = moves(going.filter(({ trail }) => trail.length === longer.length));
      if (done.length && moves(going).length === done.length) return this.#played(done);
      this.path = longer;
      return [];
    }
    if (this.ends().has(name)) {
      const ending = this.#ways.filter(({ trail }) => starts(trail, this.path) && trail.at(-1) === name);
      return this.#played(moves(ending));
    }
    const again = this.path[0] === name && this.path.length === 1;
    this.path = !again && this.next([]).has(name) ? [name] : [];
    return [];
  }

  #played(found) {
    this.path = [];
    return found;
  }

  /// In a standing board the whole column means its one free place.
  #meant(name) {
    if (this.#look !== "hole") return name;
    const column = this.#spots.find((spot) => spot.name === name)?.x;
    const targets = this.next();
    return this.#spots.find((spot) => spot.x === column && targets.has(spot.name))?.name ?? name;
  }
}

const starts = (trail, path) => path.every((name, i) => trail[i] === name);
const moves = (ways) => [...new Set(ways.map(({ move }) => move))];
