//! Answers to a question of a page.

use crate::analysis::Field;
use serde_json::{Value, json};
use treeline_web::Line;

/// Where a page's answers go.
#[derive(Clone)]
pub struct Reply {
    line: Line,
    /// The question's.
    pub id: Value,
}

impl Reply {
    /// To a question whose number is not known yet.
    pub fn new(line: Line) -> Self {
        let id = Value::Null;
        Reply { line, id }
    }

    /// The last answer.
    pub fn say(&self, mut answer: Value) {
        answer["id"] = self.id.clone();
        self.line.say(answer.to_string());
    }

    /// An answer that another one follows.
    pub fn mention(&self, mut answer: Value) {
        answer["id"] = self.id.clone();
        self.line.mention(|| answer.to_string());
    }

    pub fn refuse(&self, error: &Field) {
        self.say(json!({"error": error.text, "field": error.field}));
    }
}
