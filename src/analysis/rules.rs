//! A session that only knows the rules of the game asked for last, to read moves on.

use super::field::Field;
use super::request::{Opening, Place};
use crate::session::{Selection, Session};

/// Keeps the session as long as the game and its variant stay the same.
#[derive(Default)]
pub struct Rules(Option<(Selection, Session)>);

impl Rules {
    /// A session at the place. An error names what is wrong with it.
    pub fn at(&mut self, place: &Place) -> Result<&mut Session, Field> {
        let mut session = match self.0.take() {
            Some((same, session)) if same == place.game => session,
            _ => Opening::plain(&place.game).map_err(|error| {
                let known = crate::games::find(&place.game.name).is_some();
                Field::new(if known { "variant" } else { "game" }, error)
            })?,
        };
        let played = place.go(&mut session, usize::MAX);
        let (_, session) = self.0.insert((place.game.clone(), session));
        played.map(|()| session)
    }
}
