//! What one page asks, one JSON object a message, and what it is answered. Every answer repeats the question's `id`.

use super::reply::Reply;
use super::seats::{Job, Seats};
use super::{board, catalogue, records};
use crate::analysis::{FIELDS, Field, Place, Request, Rules};
use crate::options::shorten;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use treeline_web::{Line, Page};

/// The dialogue with one page.
pub struct Asking {
    seats: Arc<Seats>,
    line: Line,
    number: u64,
    rules: Rules,
}

type Object = Map<String, Value>;

impl Asking {
    pub fn new(seats: Arc<Seats>, line: Line) -> Self {
        Asking {
            number: seats.next_page(),
            seats,
            line,
            rules: Rules::default(),
        }
    }

    fn answer(&mut self, object: &Object, reply: &Reply) -> Result<(), Field> {
        match object.get("ask").and_then(Value::as_str) {
            Some("catalogue") => {
                let seats = &self.seats;
                let usual = seats.usual();
                reply.say(catalogue::all(usual, seats.caps(), seats.networks()));
            }
            Some("look") => {
                let place = Place::read(object)?;
                let session = self.rules.at(&place)?;
                reply.say(board::position(session));
            }
            Some("arrange") => {
                let place = Place::read(object)?;
                let session = self.rules.at(&place)?;
                reply.say(board::arrange(session, object)?);
            }
            Some("open") => reply.say(records::open(object)?),
            Some("write") => reply.say(records::write(object)?),
            Some("think") => self.think(object, reply)?,
            Some("stop") => {
                self.seats.stop(self.number);
                reply.say(json!({}));
            }
            _ => {
                let text = "expected catalogue, look, arrange, open, write, think or stop";
                return Err(Field::new("ask", text));
            }
        }
        Ok(())
    }

    /// A page has one search; another question ends it.
    fn think(&mut self, object: &Object, reply: &Reply) -> Result<(), Field> {
        let own = ["ask", "id", "ponder"];
        let known = |name: &str| FIELDS.contains(&name) || own.contains(&name);
        if let Some(name) = object.keys().find(|name| !known(name)) {
            let text = format!("unknown field {}", shorten(name));
            return Err(Field::new("ask", text));
        }
        let usual = self.seats.usual();
        let request = Request::read(object, usual)?;
        let ponders = match object.get("ponder") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(ponders)) => *ponders,
            Some(_) => return Err(Field::new("ponder", "expected true or false")),
        };
        let own = |name: &&str| request.opening.options.get(name) != usual.options.get(name);
        if let Some(name) = catalogue::WITHHELD.into_iter().find(own) {
            let text = format!("{name} is not for a page to set");
            return Err(Field::new("options", text));
        }
        self.rules.at(&request.place)?;
        self.seats.add(Job {
            page: self.number,
            request,
            ponders,
            reply: reply.clone(),
        });
        Ok(())
    }
}

impl Page for Asking {
    fn hear(&mut self, text: &str) {
        let mut reply = Reply::new(self.line.clone());
        let object = match serde_json::from_str(text) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return reply.refuse(&Field::new("", "expected a JSON object")),
            Err(error) => return reply.refuse(&Field::new("", format!("no JSON: {error}"))),
        };
        match object.get("id") {
            Some(id @ Value::Number(_)) => reply.id = id.clone(),
            _ => return reply.refuse(&Field::new("id", "every question has a number as its id")),
        }
        if let Err(error) = self.answer(&object, &reply) {
            reply.refuse(&error);
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.seats.leave(self.number);
    }
}
