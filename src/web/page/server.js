// The line to the program: questions and answers over one WebSocket, which is opened again when it broke off.

export class Server {
  #socket = null;
  #opening = null;
  #next = 1;
  #asked = new Map();
  /// Called with true and false.
  onlink = () => {};

  /// Asks, and resolves to the answer; `progress` gets what comes before it. Rejects with an Error that has the field to blame.
  async ask(question, progress) {
    const socket = await this.#open();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject, progress });
      const text = JSON.stringify({ id, ...question });
      if (new Blob([text]).size > 64 << 10) {
        this.#asked.delete(id);
        reject(new Error("this game is too long for the page"));
      } else socket.send(text);
    });
  }

  /// Waits for a line, for as long as it takes.
  async #open() {
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket;
    this.#opening ??= this.#connect().finally(() => (this.#opening = null));
    return this.#opening;
  }

  async #connect() {
    for (let pause = 250; ; pause = Math.min(2 * pause, 5000)) {
      try {
        this.#socket = await this.#try();
        this.onlink(true);
        return this.#socket;
      } catch {
        this.onlink(false);
        await new Promise((done) => setTimeout(done, pause));
      }
    }
  }

  #try() {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/talk`);
      socket.onopen = () => resolve(socket);
      socket.onmessage = (event) => this.#hear(JSON.parse(event.data));
      socket.onclose = () => {
        reject(new Error("no connection"));
        this.#lose();
      };
    });
  }

  #hear(answer) {
    const asked = this.#asked.get(answer.id);
    if (!asked) return;
    if (answer.isDuringSearch) return asked.progress?.(answer);
    this.#asked.delete(answer.id);
    if (answer.error === undefined) return asked.resolve(answer);
    asked.reject(Object.assign(new Error(answer.error), { field: answer.field }));
  }

  #lose() {
    const lost = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of lost) reject(Object.assign(new Error("the connection broke off"), { lost: true }));
  }
}
