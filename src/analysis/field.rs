//! What is wrong with a request.

/// Why a request is refused, and which of its fields is to blame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Field {
    pub field: &'static str,
    pub text: String,
}

impl Field {
    pub fn new(field: &'static str, text: impl ToString) -> Self {
        let text = text.to_string();
        Field { field, text }
    }
}
