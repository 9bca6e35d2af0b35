//! `treeline analyze`: a request a line in, answers a line out, on as many threads as there are.

use super::field::Field;
use super::queue::{Query, Queue};
use super::request::{self, FIELDS, Request, Usual};
use super::rules::Rules;
use super::worker::Worker;
use crate::options::{OptionError, Values, shorten};
use crate::session::networks;
use crate::session::options::NETWORK;
use crate::session::{Caps, LONGEST_GAME, Selection, room};
use crate::threads;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::io::{BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use treeline_protocol::{Line, LineReader, MAX_LINE};

/// What holds for every request.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The session's options, [`crate::session::options::SPECS`]; memory and threads for all together.
    pub options: Values,
    /// `None`: the default searcher.
    pub searcher: Option<Selection>,
    /// Positions analysed at once.
    pub threads: usize,
}

/// Reads requests until the end of `input` and answers them all. Returns early when the output is closed.
pub fn run(
    input: impl Read + Send,
    output: impl Write + Send,
    settings: &Settings,
) -> anyhow::Result<()> {
    let server = Server::new(output, settings)?;
    let caps = Caps {
        memory: server.usual.options.int("memory"),
        threads: Some(1),
    };
    let (server, queue) = (&server, &server.queue);
    std::thread::scope(|scope| {
        for _ in 0..settings.threads {
            scope.spawn(move || server.work(Worker::new(caps)));
        }
        let read = || server.read(input);
        if let Err(error) = threads::caught(read) {
            log::error!("{error:#}");
        }
        queue.close();
    });
    Ok(())
}

/// The options of one of so many threads: its share of the memory, and no thread beside it.
pub fn share(options: &Values, threads: usize) -> Result<Values, OptionError> {
    let mut own = options.clone();
    let memory = crate::session::options::memory(options);
    let share = memory / threads.max(1) as i64;
    own.set("memory", &share.to_string()).map_err(|_| {
        let text = format!("{threads} threads cannot share {memory} MiB; each takes at least 32");
        OptionError::Unfit(text)
    })?;
    own.set("threads", "1")?;
    Ok(own)
}

struct Server<W> {
    queue: Queue,
    output: Mutex<W>,
    usual: Usual,
    /// Counts the commands to clear the cache; each thread clears its own.
    clears: AtomicU64,
}

impl<W: Write + Send> Server<W> {
    /// Every thread gets its share of the memory, and searches alone.
    fn new(output: W, settings: &Settings) -> anyhow::Result<Self> {
        let options = share(&settings.options, settings.threads)?;
        let searcher = settings.searcher.clone();
        // What cannot be read is said to every request.
        let network = networks::made_for(options.name(NETWORK), room(&options));
        let network = network.ok().flatten();
        Ok(Server {
            queue: Queue::default(),
            output: Mutex::new(output),
            usual: Usual {
                options,
                searcher: searcher.unwrap_or_else(request::usual_searcher),
                network_for: network.map(|game| game.name),
            },
            clears: AtomicU64::new(0),
        })
    }

    fn send(&self, answer: &Value) {
        let line = format!("{answer}\n");
        let mut output = self.output.lock();
        let sent = output.write_all(line.as_bytes());
        if sent.and_then(|()| output.flush()).is_err() {
            self.queue.abandon();
        }
    }

    fn refuse(&self, id: Option<&str>, field: Option<&str>, text: &str) {
        let mut answer = json!({ "error": text });
        if let Some(field) = field {
            answer["field"] = json!(field);
        }
        if let Some(id) = id {
            answer["id"] = json!(id);
        }
        self.send(&answer);
    }

    fn read(&self, input: impl Read) -> anyhow::Result<()> {
        let mut lines = LineReader::new(BufReader::new(input));
        let mut rules = Rules::default();
        while let Some(line) = lines.next_line()? {
            match line {
                Line::Text(text) if text.trim_ascii().is_empty() => {}
                Line::Text(text) => {
                    let cost = text.len();
                    match serde_json::from_slice(&text) {
                        Ok(Value::Object(object)) => {
                            if !self.receive(&object, cost, &mut rules) {
                                return Ok(());
                            }
                        }
                        Ok(_) => self.refuse(None, None, "expected a JSON object on one line"),
                        Err(error) => self.refuse(None, None, &format!("no JSON: {error}")),
                    }
                }
                Line::TooLong { bytes } => {
                    let text = format!("line of {bytes} bytes; the longest allowed has {MAX_LINE}");
                    self.refuse(None, None, &text);
                }
            }
        }
        Ok(())
    }

    /// Whether to go on.
    fn receive(&self, object: &Map<String, Value>, cost: usize, rules: &mut Rules) -> bool {
        let id = match object.get("id") {
            Some(Value::String(id)) => id.as_str(),
            _ => {
                self.refuse(None, Some("id"), "every request has a string as its id");
                return true;
            }
        };
        if let Some(action) = object.get("action") {
            if let Err(error) = self.act(id, action.as_str().unwrap_or(""), object) {
                self.refuse(Some(id), Some(error.field), &error.text);
            }
            return true;
        }
        match self.question(id, object, cost, rules) {
            Ok((query, turns)) => {
                self.warn(id, object);
                self.queue.add(&Arc::new(query), &turns)
            }
            Err(error) => {
                self.refuse(Some(id), Some(error.field), &error.text);
                true
            }
        }
    }

    /// Says which fields mean nothing, as KataGo does.
    fn warn(&self, id: &str, object: &Map<String, Value>) {
        const OWN: [&str; 4] = ["id", "analyzeTurns", "priority", "priorities"];
        for field in object.keys() {
            if !FIELDS.contains(&field.as_str()) && !OWN.contains(&field.as_str()) {
                let field = shorten(field);
                self.send(&json!({"warning": "unknown field", "field": field, "id": id}));
            }
        }
    }

    /// Reads a query and plays its moves, so that what is wrong is said before it waits.
    fn question(
        &self,
        id: &str,
        object: &Map<String, Value>,
        cost: usize,
        rules: &mut Rules,
    ) -> Result<(Query, Vec<(usize, i64)>), Field> {
        let request = Request::read(object, &self.usual)?;
        rules.at(&request.place)?;
        if crate::search::find(&request.opening.searcher.name).is_none() {
            let name = shorten(&request.opening.searcher.name);
            return Err(Field::new("searcher", format!("unknown searcher '{name}'")));
        }
        let turns = turns(object, request.place.moves.len())?;
        let query = Query {
            id: id.to_string(),
            request,
            bytes: 4 * cost + 4096,
        };
        Ok((query, turns))
    }

    fn act(&self, id: &str, action: &str, object: &Map<String, Value>) -> Result<(), Field> {
        match action {
            "query_version" => self.send(&json!({
                "action": action,
                "id": id,
                "name": "Treeline",
                "version": env!("CARGO_PKG_VERSION"),
            })),
            "clear_cache" => {
                self.clears.fetch_add(1, Ordering::Relaxed);
                self.send(&json!({"action": action, "id": id}));
            }
            "terminate" | "terminate_all" => {
                let meant = object.get("terminateId").and_then(Value::as_str);
                if action == "terminate" && meant.is_none() {
                    return Err(Field::new("terminateId", "expected the id of a request"));
                }
                let only = numbers(object, "turnNumbers")?;
                let answer = match meant {
                    Some(meant) => json!({"action": action, "id": id, "terminateId": meant}),
                    None => json!({"action": action, "id": id}),
                };
                self.send(&answer);
                let out = self.queue.terminate(|id, turn| {
                    (action == "terminate_all" || meant == Some(id))
                        && only.as_ref().is_none_or(|only| only.contains(&turn))
                });
                for task in out {
                    self.send(&json!({
                        "id": task.query.id,
                        "turnNumber": task.turn,
                        "isDuringSearch": false,
                        "noResults": true,
                    }));
                }
            }
            _ => {
                let text = "expected query_version, clear_cache, terminate or terminate_all";
                return Err(Field::new("action", text));
            }
        }
        Ok(())
    }

    /// One thread's work, until there is none.
    fn work(&self, mut worker: Worker) {
        let mut cleared = 0;
        while let Some((task, stop)) = self.queue.take() {
            let clears = self.clears.load(Ordering::Relaxed);
            if clears != cleared {
                worker.clear();
                cleared = clears;
            }
            let complete = |mut answer: Value| {
                answer["id"] = json!(task.query.id);
                answer["turnNumber"] = json!(task.turn);
                self.send(&answer);
            };
            // A defect in one search must not end the others.
            let request = &task.query.request;
            let mut report = |so_far| complete(so_far);
            let search = || anyhow::Ok(worker.analyse(request, task.turn, &stop, &mut report));
            let found = threads::caught(search);
            self.queue.done(&task);
            match found {
                Ok(Ok(answer)) => complete(answer),
                Ok(Err(error)) => self.refuse(Some(&task.query.id), Some(error.field), &error.text),
                Err(error) => {
                    log::error!("{error:#}");
                    self.refuse(
                        Some(&task.query.id),
                        None,
                        "internal error; please report it",
                    );
                }
            }
        }
    }
}

/// The turns to analyse, each with its priority; by default the last one.
fn turns(object: &Map<String, Value>, moves: usize) -> Result<Vec<(usize, i64)>, Field> {
    let whole = |field, value: &Value| {
        let text = "expected a whole number from -1000000000 to 1000000000";
        let number = value.as_i64();
        number
            .filter(|number| number.abs() <= 1_000_000_000)
            .ok_or_else(|| Field::new(field, text))
    };
    let priority = match object.get("priority") {
        None | Some(Value::Null) => 0,
        Some(value) => whole("priority", value)?,
    };
    let turns = numbers(object, "analyzeTurns")?.unwrap_or_else(|| vec![moves]);
    if let Some(turn) = turns.iter().find(|turn| **turn > moves) {
        let text = format!("turn {turn}, but there are {moves} moves");
        return Err(Field::new("analyzeTurns", text));
    }
    let own = match object.get("priorities") {
        None | Some(Value::Null) => vec![priority; turns.len()],
        Some(Value::Array(list)) if list.len() == turns.len() => {
            let own = list.iter().map(|value| whole("priorities", value));
            own.collect::<Result<_, _>>()?
        }
        Some(_) => {
            let text = "expected as many numbers as analyzeTurns has";
            return Err(Field::new("priorities", text));
        }
    };
    Ok(turns.into_iter().zip(own).collect())
}

fn numbers(object: &Map<String, Value>, field: &'static str) -> Result<Option<Vec<usize>>, Field> {
    let wrong = || Field::new(field, "expected a list of turn numbers");
    let list = match object.get(field) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(list)) if list.len() <= LONGEST_GAME + 1 => list,
        Some(_) => return Err(wrong()),
    };
    let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
    let numbers: Option<Vec<usize>> = list.iter().map(number).collect();
    numbers.map(Some).ok_or_else(wrong)
}
