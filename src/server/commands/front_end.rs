//! Who is on the other side, where the same word means another thing to it.
//!
//! GoGui has no column I in any command, and its boards are squares. HexGui knows one swap, which it calls `swap-pieces`: the stone stays, the players
//! exchange colours, and White is to move again; here that is `swap-sides`. Both betray themselves by commands that nobody
//! else sends. Sources: both programs as they run.

use super::{Refusal, gogui};
use crate::game::Player;
use crate::session::{Answer, Session};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontEnd {
    GoGui,
    HexGui,
    Other,
}

impl FrontEnd {
    /// Recognises a front end by a command that it sends.
    pub(super) fn notice(&mut self, command: &str) {
        if command.starts_with("gogui-rules_") || command == "gogui-version" {
            *self = FrontEnd::GoGui;
        } else if command == "hexgui-analyze_commands" {
            *self = FrontEnd::HexGui;
        }
    }

    /// A received size as the session reads it. GoGui gives the square that it shows.
    pub(super) fn read_size(self, session: &Session, columns: u32, rows: u32) -> (u32, u32) {
        match session.game.grid() {
            Some(grid)
                if self == FrontEnd::GoGui
                    && columns == rows
                    && columns == gogui::shown_size(&grid) =>
            {
                (grid.columns, grid.rows)
            }
            _ => (columns, rows),
        }
    }

    /// A received move as the session reads it.
    pub(super) fn read_move(self, session: &Session, word: &str) -> Result<String, Refusal> {
        match self {
            FrontEnd::GoGui => gogui::read_move(session, word),
            FrontEnd::HexGui if word.eq_ignore_ascii_case(SWAP) => Ok("swap-sides".into()),
            FrontEnd::HexGui | FrontEnd::Other => Ok(word.into()),
        }
    }

    /// A move of the session as this front end reads it.
    pub(super) fn write_move(self, session: &Session, word: &str) -> String {
        match self {
            FrontEnd::GoGui => gogui::write_move(session, word),
            FrontEnd::HexGui | FrontEnd::Other => word.into(),
        }
    }

    /// Brings the board to what the front end will show after this answer.
    pub(super) fn played(
        self,
        session: &mut Session,
        player: Player,
        answer: &Answer,
    ) -> Result<(), Refusal> {
        let swap = matches!(answer, Answer::Move(word) if word == SWAP);
        if self == FrontEnd::HexGui && swap {
            session.game.undo();
            session.game.play(player, "swap-sides")?;
        }
        Ok(())
    }
}

const SWAP: &str = "swap-pieces";
