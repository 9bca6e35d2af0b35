//! What a session thinks about: moves, proofs and analyses, within its limits and clocks.

use super::options;
use super::{Analysis, Answer, Session, SessionError, Standing, Verdict};
use crate::game::{Outcome, Player};
use crate::memory;
use crate::search::proof::Question;
use crate::search::{self, Control, Stop};
use std::time::Duration;

/// An opponent who thinks longer is asleep.
const PONDERED: Duration = Duration::from_secs(3600);

/// What is wanted of a search besides a move.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wishes {
    /// How often it tells how it stands.
    pub every: Option<Duration>,
    /// Proofs of every move, as far as the limits allow, where a solver proves the best one.
    pub every_move: bool,
    /// Levels make nobody weaker.
    pub full_strength: bool,
}

impl Session {
    /// Thinks for `player` within the limits or the clock, and plays the move if `play`.
    pub fn genmove(
        &mut self,
        player: Player,
        play: bool,
        stop: &Stop,
        command: u64,
    ) -> Result<Answer, SessionError> {
        self.genmove_reporting(player, play, stop, command, None, &mut |_| ())
    }

    /// The same; every `every`, `report` gets the search so far.
    pub fn genmove_reporting(
        &mut self,
        player: Player,
        play: bool,
        stop: &Stop,
        command: u64,
        every: Option<Duration>,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<Answer, SessionError> {
        if let Some(outcome) = self.game.outcome() {
            let lost = outcome == Outcome::Win(player.other());
            return Ok(if lost { Answer::Resign } else { Answer::Pass });
        }
        let control = self.control(player, stop, command, every);
        let last = match self.book_move(player, play)? {
            Some(last) => last,
            None => self.think(player, &control, play, report)?,
        };
        self.clock.spend(player, control.seconds());
        let answer = Answer::Move(last.played.clone());
        self.last_search = Some(last);
        Ok(answer)
    }

    /// Thinks for `player`, whose turn it is in a game that is not over, within the limits or the clock; plays nothing, and takes
    /// nothing from a clock. [`Session::last_search`] has what was found.
    pub fn consider(
        &mut self,
        player: Player,
        wishes: Wishes,
        stop: &Stop,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<(), SessionError> {
        let mut control = self.control(player, stop, stop.announce(), wishes.every);
        if wishes.every_move {
            control = control.for_every_move();
        }
        if wishes.full_strength {
            control = control.at_full_strength();
        }
        self.last_search = Some(self.think(player, &control, false, report)?);
        Ok(())
    }

    /// The limits for a move of `player`.
    fn control(
        &self,
        player: Player,
        stop: &Stop,
        command: u64,
        every: Option<Duration>,
    ) -> Control {
        let margin = self.options.real("margin").unwrap_or(0.0);
        let clock = self.clock.for_move(player, margin);
        let limits = options::limits(&self.options, clock);
        let linger = Duration::from_secs_f64(self.options.real("linger").unwrap_or(0.0));
        let control = Control::new(limits, stop.clone(), command)
            .lingering(linger)
            .with_multipv(options::multipv(&self.options, false));
        match every {
            Some(every) => control.reporting(every),
            None => control,
        }
    }

    fn think(
        &mut self,
        player: Player,
        control: &Control,
        play: bool,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<super::LastSearch, SessionError> {
        self.take_back()?;
        self.search(player, control, play, report)
    }

    /// What the network says of the position, where there is one and the game is not over.
    pub fn evaluation(&mut self) -> Option<super::Evaluation> {
        self.network.as_ref()?;
        if self.game.outcome().is_some() {
            return None;
        }
        Some(self.game.evaluate())
    }

    /// Proves the value of the position for the side to move, for at most `seconds`, or as long as the options allow a move.
    /// The memory that the searcher has goes to the solver, and comes back with the next search, which begins anew.
    pub fn solve(
        &mut self,
        seconds: Option<f64>,
        stop: &Stop,
        command: u64,
    ) -> Result<Verdict, SessionError> {
        self.solve_reporting(seconds, stop, command, None, &mut |_| ())
    }

    /// The same; every `every`, `report` gets how it stands.
    pub fn solve_reporting(
        &mut self,
        seconds: Option<f64>,
        stop: &Stop,
        command: u64,
        every: Option<Duration>,
        report: &mut dyn FnMut(&Standing),
    ) -> Result<Verdict, SessionError> {
        let setup = self.setup()?;
        let memory = setup.resources.memory;
        self.lend()?;
        let limits = options::limits(&self.options, seconds.map(Duration::from_secs_f64));
        let linger = Duration::from_secs_f64(self.options.real("linger").unwrap_or(0.0));
        let control = Control::new(limits, stop.clone(), command).lingering(linger);
        let control = match every {
            Some(every) => control.reporting(every),
            None => control,
        };
        let question = Question {
            method: self.options.word(search::proof::METHOD.name),
            margin: self.options.flag(search::proof::MARGIN.name),
        };
        self.game.solve(question, memory, &control, report)
    }

    fn search(
        &mut self,
        player: Player,
        control: &Control,
        play: bool,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<super::LastSearch, SessionError> {
        // If it breaks off for a defect, the searcher is built again before the next one.
        self.lent = true;
        let last = self.game.search(player, control, play, report);
        self.lent = false;
        last
    }

    /// Takes the searcher's memory, for something else to have it until the next search.
    pub(super) fn lend(&mut self) -> Result<(), SessionError> {
        if !self.lent {
            self.game.set_player(&self.setup()?.small())?;
            self.lent = true;
        }
        Ok(())
    }

    /// Gives the searcher its memory again, after something else had it.
    fn take_back(&mut self) -> Result<(), SessionError> {
        if self.lent {
            let setup = self.setup()?;
            self.game.set_player(&setup)?;
            self.lent = false;
        }
        Ok(())
    }

    /// Waits until the searcher's memory is ready for it, but for no longer than this.
    pub fn get_ready(&mut self, longest: Duration) {
        if let Err(error) = self.take_back() {
            log::debug!("not ready: {error}");
        }
        memory::wait_until_ready(longest);
    }

    /// Thinks about the opponent's move on the opponent's time, until a line behind the command `number` arrives. The tree is kept;
    /// of the search nothing is told.
    pub fn ponder(&mut self, stop: &Stop, number: u64) {
        if self.game.outcome().is_some() {
            return;
        }
        let player = self.game.turn();
        let limits = search::Limits {
            time: Some(PONDERED),
            ..search::Limits::default()
        };
        let control = Control::new(limits, stop.clone(), number).pondering();
        if let Err(error) = self.think(player, &control, false, &mut |_| ()) {
            log::debug!("no pondering: {error}");
        }
    }

    /// Whether the options ask for pondering.
    pub fn ponders(&self) -> bool {
        self.options.flag(options::PONDER)
    }

    /// Thinks for `player` without playing until interrupted or another line arrives; reports `every` so often.
    pub fn analyse(
        &mut self,
        player: Player,
        every: Duration,
        stop: &Stop,
        command: u64,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<(), SessionError> {
        self.take_back()?;
        let control = Control::new(search::Limits::default(), stop.clone(), command)
            .analysing(every)
            .with_multipv(options::multipv(&self.options, true));
        let last = self.search(player, &control, false, report)?;
        report(&Analysis {
            moves: last.moves.clone(),
            calibrated: last.calibrated,
            stats: last.stats,
        });
        self.last_search = Some(last);
        // A searcher that was through at once waits here, so that the reply ends when the controller says so.
        while !control.is_over() {
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }
}
