//! Everything that is asked of a game, in a form that can stand behind a pointer: [`Game`] and [`Notation`] without types of
//! the game.
//!
//! [`Notation`]: treeline_game::Notation

use crate::{AnyMove, AnyPosition};
use treeline_game::drawing::{Drawing, Piece, Spot};
use treeline_game::pattern::Patterns;
use treeline_game::{
    Cell, Encoding, Exact, ForMover, Foresight, Game, Grid, Inferior, LastPly, Move, MoveError,
    Moves, Notation, Numbering, Outcome, Permutation, Player, Playout, PositionError, Rng, Shape,
    Solved, Symmetry, Tabled, Tally, numbering, perft_until,
};

/// One of a game's heuristics, as far as it is text.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    pub name: &'static str,
    pub help: &'static str,
    /// Whether it judges all children of a position at once.
    pub last_ply: bool,
}

/// See the traits of the same methods.
pub trait Rulebook: Send + Sync + std::fmt::Debug {
    /// Of a position in the game's own type.
    fn position_bytes(&self) -> usize;

    fn start(&self) -> AnyPosition;
    fn turn(&self, p: &AnyPosition) -> Player;
    fn key(&self, p: &AnyPosition) -> u64;
    fn state_key(&self, p: &AnyPosition) -> u64;
    fn slots(&self) -> usize;
    fn slot(&self, p: &AnyPosition, m: AnyMove) -> usize;
    fn outcome(&self, p: &AnyPosition) -> Option<Outcome>;
    fn is_cut_off(&self, p: &AnyPosition) -> bool;
    /// Appends the legal moves.
    fn list_moves(&self, p: &AnyPosition, moves: &mut Moves<AnyMove>);
    fn count_moves(&self, p: &AnyPosition) -> u32;
    fn apply(&self, p: &mut AnyPosition, m: AnyMove);
    fn repetition(&self) -> Option<u32>;
    fn reversible_plies(&self, p: &AnyPosition) -> u32;
    fn longest(&self) -> Option<u32>;
    fn usual_length(&self) -> Option<u32>;
    fn margin(&self, p: &AnyPosition) -> Option<i32>;
    fn largest_margin(&self) -> u32;
    fn with_turn(&self, p: &AnyPosition, player: Player) -> Option<AnyPosition>;
    fn forced_pass(&self, p: &AnyPosition) -> Option<AnyMove>;
    fn leaves(&self, p: &AnyPosition) -> u64;
    fn perft(&self, p: &AnyPosition, plies: u32, is_over: &dyn Fn() -> bool) -> Option<u64>;

    fn symmetries(&self) -> &'static [Symmetry];
    fn image(&self, s: usize, p: &AnyPosition) -> AnyPosition;
    fn image_of_move(&self, s: usize, p: &AnyPosition, m: AnyMove) -> AnyMove;

    fn encodings(&self) -> &'static [Encoding];
    fn shape(&self, e: usize) -> Shape;
    fn write_planes(&self, e: usize, p: &AnyPosition, out: &mut [f32]);
    fn policy_output(&self, e: usize, p: &AnyPosition, m: AnyMove) -> usize;
    fn exchange(&self, e: usize, p: &AnyPosition) -> Option<AnyMove>;
    fn is_ambiguous(&self, e: usize, p: &AnyPosition) -> bool;
    fn permutation(&self, e: usize, s: usize) -> Option<Permutation>;
    fn numbering(&self) -> Numbering;
    /// Appends the legal moves with their numbers.
    fn list_numbered(&self, p: &AnyPosition, moves: &mut Vec<(u32, AnyMove)>);
    /// Sets the bit of each legal move's number.
    fn mark_numbered(&self, p: &AnyPosition, bits: &mut [u64]);
    fn find_numbered(&self, p: &AnyPosition, number: u32) -> Option<AnyMove>;

    fn features(&self) -> usize;
    fn features_version(&self) -> u32;
    fn write_features(&self, p: &AnyPosition, player: Player, out: &mut [u64]);
    fn turned_feature(&self, feature: usize) -> usize;
    fn patterns(&self) -> Option<Patterns>;

    fn heuristics(&self) -> Vec<Named>;
    fn benchmark(&self) -> &'static str;
    fn is_early(&self, p: &AnyPosition) -> bool;
    fn points(&self, heuristic: usize, p: &AnyPosition) -> i32;
    fn scale(&self, heuristic: usize, points: i32) -> f32;
    /// Only where the heuristic has it.
    fn last_ply(&self, heuristic: usize, p: &AnyPosition) -> LastPly;
    fn list_noisy(&self, p: &AnyPosition, moves: &mut Moves<AnyMove>);
    fn has_noisy(&self, p: &AnyPosition) -> bool;
    fn is_noisy(&self, p: &AnyPosition, m: AnyMove) -> bool;
    fn must_be_noisy(&self, p: &AnyPosition, count: u32) -> bool;
    fn material_class(&self, p: &AnyPosition) -> Option<usize>;
    fn passed(&self, p: &AnyPosition) -> Option<AnyPosition>;
    fn volatility(&self, p: &AnyPosition) -> f32;
    fn sensible_moves(&self, p: &AnyPosition) -> Moves<AnyMove>;
    fn weight(&self, p: &AnyPosition, m: AnyMove) -> f32;
    fn prior(&self, p: &AnyPosition, m: AnyMove) -> Option<ForMover>;
    fn foresee(&self, p: &AnyPosition) -> Foresight<AnyMove>;
    fn study(&self, p: &AnyPosition) -> Foresight<AnyMove>;
    fn inferior(&self, p: &AnyPosition) -> Inferior<AnyMove>;
    fn load_tables(&self, memory: usize) -> usize;
    fn tabled(&self, p: &AnyPosition) -> Option<Tabled>;
    fn exact(&self, memory: usize) -> Option<Box<dyn Exact<crate::AnyGame>>>;

    fn plays_on(&self) -> bool;
    fn playout(&self, p: AnyPosition, rng: &mut Rng) -> Playout;
    fn playouts(&self, p: AnyPosition, count: u64, rng: &mut Rng) -> Tally;
    fn playouts_one_by_one(&self, p: &AnyPosition, count: u64, rng: &mut Rng) -> Tally;

    fn write_move(&self, p: &AnyPosition, m: AnyMove) -> String;
    fn read_move(&self, p: &AnyPosition, text: &str) -> Result<AnyMove, MoveError>;
    fn read_adjustment(&self, p: &AnyPosition, text: &str) -> Option<AnyPosition>;
    fn is_move_text(&self, plain_text: &str) -> bool;
    fn example_move(&self) -> &'static str;
    fn write_position(&self, p: &AnyPosition) -> String;
    fn read_position(&self, text: &str) -> Result<AnyPosition, PositionError>;
    fn board(&self, p: &AnyPosition) -> String;
    fn grid(&self, p: &AnyPosition) -> Option<Grid>;
    fn drawing(&self, p: &AnyPosition) -> Drawing;
    fn trails(&self, p: &AnyPosition, m: AnyMove) -> Vec<Vec<String>>;
    fn placed_at(&self, p: &AnyPosition, m: AnyMove) -> Option<Cell>;
    fn set_up(&self, stones: &[(Player, Cell)], turn: Player)
    -> Result<AnyPosition, PositionError>;
    fn pieces(&self) -> Vec<Piece>;
    fn arrange(&self, spots: &[Spot], turn: Player) -> Result<AnyPosition, PositionError>;
}

/// The rules of one type behind that.
#[derive(Debug)]
pub struct Typed<G>(pub G);

/// A typed move in the form that all games share.
#[inline]
fn any<M: Move>(m: M) -> AnyMove {
    AnyMove(m.to_bits())
}

fn any_foresight<M: Move>(foresight: Foresight<M>) -> Foresight<AnyMove> {
    match foresight {
        Foresight::Open => Foresight::Open,
        Foresight::Decided(outcome) => Foresight::Decided(outcome),
        Foresight::Only(moves) => Foresight::Only(moves.into_iter().map(any).collect()),
    }
}

/// The other way.
#[inline]
fn own<M: Move>(m: AnyMove) -> M {
    M::from_bits(m.0)
}

impl<G: Notation> Rulebook for Typed<G> {
    fn position_bytes(&self) -> usize {
        const {
            assert!(
                size_of::<G::Move>() <= 8,
                "a move takes eight bytes at most"
            )
        };
        size_of::<G::Position>()
    }

    fn start(&self) -> AnyPosition {
        AnyPosition::new(self.0.start())
    }
    fn turn(&self, p: &AnyPosition) -> Player {
        self.0.turn(p.get())
    }
    fn key(&self, p: &AnyPosition) -> u64 {
        self.0.key(p.get())
    }
    fn state_key(&self, p: &AnyPosition) -> u64 {
        self.0.state_key(p.get())
    }
    fn slots(&self) -> usize {
        self.0.slots()
    }
    fn slot(&self, p: &AnyPosition, m: AnyMove) -> usize {
        self.0.slot(p.get(), own(m))
    }
    fn outcome(&self, p: &AnyPosition) -> Option<Outcome> {
        self.0.outcome(p.get())
    }
    fn is_cut_off(&self, p: &AnyPosition) -> bool {
        self.0.is_cut_off(p.get())
    }
    fn list_moves(&self, p: &AnyPosition, moves: &mut Moves<AnyMove>) {
        self.0.each_move(p.get(), |m| moves.push(any(m)));
    }
    fn count_moves(&self, p: &AnyPosition) -> u32 {
        self.0.count_moves(p.get())
    }
    fn apply(&self, p: &mut AnyPosition, m: AnyMove) {
        self.0.apply(p.get_mut(), own(m));
    }
    fn repetition(&self) -> Option<u32> {
        self.0.repetition()
    }
    fn reversible_plies(&self, p: &AnyPosition) -> u32 {
        self.0.reversible_plies(p.get())
    }
    fn longest(&self) -> Option<u32> {
        self.0.longest()
    }
    fn usual_length(&self) -> Option<u32> {
        self.0.usual_length()
    }
    fn margin(&self, p: &AnyPosition) -> Option<i32> {
        self.0.margin(p.get())
    }
    fn largest_margin(&self) -> u32 {
        self.0.largest_margin()
    }
    fn with_turn(&self, p: &AnyPosition, player: Player) -> Option<AnyPosition> {
        self.0.with_turn(p.get(), player).map(AnyPosition::new)
    }
    fn forced_pass(&self, p: &AnyPosition) -> Option<AnyMove> {
        self.0.forced_pass(p.get()).map(any)
    }
    fn leaves(&self, p: &AnyPosition) -> u64 {
        self.0.leaves(p.get())
    }
    fn perft(&self, p: &AnyPosition, plies: u32, is_over: &dyn Fn() -> bool) -> Option<u64> {
        perft_until(&self.0, p.get(), plies, is_over)
    }

    fn symmetries(&self) -> &'static [Symmetry] {
        self.0.symmetries()
    }
    fn image(&self, s: usize, p: &AnyPosition) -> AnyPosition {
        AnyPosition::new(self.0.image(s, p.get()))
    }
    fn image_of_move(&self, s: usize, p: &AnyPosition, m: AnyMove) -> AnyMove {
        any(self.0.image_of_move(s, p.get(), own(m)))
    }

    fn encodings(&self) -> &'static [Encoding] {
        self.0.encodings()
    }
    fn shape(&self, e: usize) -> Shape {
        self.0.shape(e)
    }
    fn write_planes(&self, e: usize, p: &AnyPosition, out: &mut [f32]) {
        self.0.write_planes(e, p.get(), out);
    }
    fn policy_output(&self, e: usize, p: &AnyPosition, m: AnyMove) -> usize {
        self.0.policy_output(e, p.get(), own(m))
    }
    fn exchange(&self, e: usize, p: &AnyPosition) -> Option<AnyMove> {
        self.0.exchange(e, p.get()).map(any)
    }
    fn is_ambiguous(&self, e: usize, p: &AnyPosition) -> bool {
        self.0.is_ambiguous(e, p.get())
    }
    fn permutation(&self, e: usize, s: usize) -> Option<Permutation> {
        self.0.permutation(e, s)
    }
    fn numbering(&self) -> Numbering {
        self.0.numbering()
    }
    fn list_numbered(&self, p: &AnyPosition, moves: &mut Vec<(u32, AnyMove)>) {
        numbering::each_numbered(&self.0, p.get(), |number, m| moves.push((number, any(m))));
    }
    fn mark_numbered(&self, p: &AnyPosition, bits: &mut [u64]) {
        numbering::each_numbered(&self.0, p.get(), |number, _| {
            bits[number as usize / 64] |= 1 << (number % 64);
        });
    }
    fn find_numbered(&self, p: &AnyPosition, number: u32) -> Option<AnyMove> {
        numbering::find(&self.0, p.get(), number).map(any)
    }

    fn features(&self) -> usize {
        self.0.features()
    }
    fn features_version(&self) -> u32 {
        self.0.features_version()
    }
    fn write_features(&self, p: &AnyPosition, player: Player, out: &mut [u64]) {
        self.0.write_features(p.get(), player, out);
    }
    fn turned_feature(&self, feature: usize) -> usize {
        self.0.turned_feature(feature)
    }
    fn patterns(&self) -> Option<Patterns> {
        self.0.patterns()
    }

    fn heuristics(&self) -> Vec<Named> {
        let named = |h: &treeline_game::Heuristic<G>| Named {
            name: h.name,
            help: h.help,
            last_ply: h.last_ply.is_some(),
        };
        self.0.heuristics().iter().map(named).collect()
    }
    fn points(&self, heuristic: usize, p: &AnyPosition) -> i32 {
        (self.0.heuristics()[heuristic].points)(&self.0, p.get())
    }
    fn scale(&self, heuristic: usize, points: i32) -> f32 {
        (self.0.heuristics()[heuristic].scale)(&self.0, points)
    }
    fn last_ply(&self, heuristic: usize, p: &AnyPosition) -> LastPly {
        match self.0.heuristics()[heuristic].last_ply {
            Some(last_ply) => last_ply(&self.0, p.get()),
            None => LastPly {
                best: 0,
                children: 0,
            },
        }
    }
    fn benchmark(&self) -> &'static str {
        self.0.benchmark()
    }
    fn is_early(&self, p: &AnyPosition) -> bool {
        self.0.is_early(p.get())
    }
    fn list_noisy(&self, p: &AnyPosition, moves: &mut Moves<AnyMove>) {
        self.0.each_noisy(p.get(), |m| moves.push(any(m)));
    }
    fn has_noisy(&self, p: &AnyPosition) -> bool {
        self.0.has_noisy(p.get())
    }
    fn is_noisy(&self, p: &AnyPosition, m: AnyMove) -> bool {
        self.0.is_noisy(p.get(), own(m))
    }
    fn must_be_noisy(&self, p: &AnyPosition, count: u32) -> bool {
        self.0.must_be_noisy(p.get(), count)
    }
    fn material_class(&self, p: &AnyPosition) -> Option<usize> {
        self.0.material_class(p.get())
    }
    fn passed(&self, p: &AnyPosition) -> Option<AnyPosition> {
        self.0.passed(p.get()).map(AnyPosition::new)
    }
    fn volatility(&self, p: &AnyPosition) -> f32 {
        self.0.volatility(p.get())
    }
    fn sensible_moves(&self, p: &AnyPosition) -> Moves<AnyMove> {
        self.0
            .sensible_moves(p.get())
            .into_iter()
            .map(any)
            .collect()
    }
    fn weight(&self, p: &AnyPosition, m: AnyMove) -> f32 {
        self.0.weight(p.get(), own(m))
    }
    fn prior(&self, p: &AnyPosition, m: AnyMove) -> Option<ForMover> {
        self.0.prior(p.get(), own(m))
    }
    fn foresee(&self, p: &AnyPosition) -> Foresight<AnyMove> {
        any_foresight(self.0.foresee(p.get()))
    }
    fn study(&self, p: &AnyPosition) -> Foresight<AnyMove> {
        any_foresight(self.0.study(p.get()))
    }
    fn inferior(&self, p: &AnyPosition) -> Inferior<AnyMove> {
        self.0.inferior(p.get()).map(any)
    }
    fn load_tables(&self, memory: usize) -> usize {
        self.0.load_tables(memory)
    }
    fn tabled(&self, p: &AnyPosition) -> Option<Tabled> {
        self.0.tabled(p.get())
    }
    fn exact(&self, memory: usize) -> Option<Box<dyn Exact<crate::AnyGame>>> {
        let inner = self.0.exact(memory)?;
        Some(Box::new(AnyExact::<G>(inner)))
    }

    fn plays_on(&self) -> bool {
        self.0.plays_on()
    }
    fn playout(&self, p: AnyPosition, rng: &mut Rng) -> Playout {
        self.0.playout(*p.get(), rng)
    }
    fn playouts(&self, p: AnyPosition, count: u64, rng: &mut Rng) -> Tally {
        self.0.playouts(*p.get(), count, rng)
    }
    fn playouts_one_by_one(&self, p: &AnyPosition, count: u64, rng: &mut Rng) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..count {
            tally.add(self.0.playout(*p.get(), rng));
        }
        tally
    }

    fn write_move(&self, p: &AnyPosition, m: AnyMove) -> String {
        self.0.write_move(p.get(), own(m))
    }
    fn read_move(&self, p: &AnyPosition, text: &str) -> Result<AnyMove, MoveError> {
        self.0.read_move(p.get(), text).map(any)
    }
    fn read_adjustment(&self, p: &AnyPosition, text: &str) -> Option<AnyPosition> {
        self.0.read_adjustment(p.get(), text).map(AnyPosition::new)
    }
    fn is_move_text(&self, plain_text: &str) -> bool {
        self.0.is_move_text(plain_text)
    }
    fn example_move(&self) -> &'static str {
        self.0.example_move()
    }
    fn write_position(&self, p: &AnyPosition) -> String {
        self.0.write_position(p.get())
    }
    fn read_position(&self, text: &str) -> Result<AnyPosition, PositionError> {
        self.0.read_position(text).map(AnyPosition::new)
    }
    fn board(&self, p: &AnyPosition) -> String {
        self.0.board(p.get())
    }
    fn grid(&self, p: &AnyPosition) -> Option<Grid> {
        self.0.grid(p.get())
    }
    fn drawing(&self, p: &AnyPosition) -> Drawing {
        self.0.drawing(p.get())
    }
    fn trails(&self, p: &AnyPosition, m: AnyMove) -> Vec<Vec<String>> {
        self.0.trails(p.get(), own(m))
    }
    fn placed_at(&self, p: &AnyPosition, m: AnyMove) -> Option<Cell> {
        self.0.placed_at(p.get(), own(m))
    }
    fn set_up(
        &self,
        stones: &[(Player, Cell)],
        turn: Player,
    ) -> Result<AnyPosition, PositionError> {
        self.0.set_up(stones, turn).map(AnyPosition::new)
    }
    fn pieces(&self) -> Vec<Piece> {
        self.0.pieces()
    }
    fn arrange(&self, spots: &[Spot], turn: Player) -> Result<AnyPosition, PositionError> {
        self.0.arrange(spots, turn).map(AnyPosition::new)
    }
}

/// A game's own solver for positions of any game.
struct AnyExact<G: Game>(Box<dyn Exact<G>>);

impl<G: Game> Exact<crate::AnyGame> for AnyExact<G> {
    fn can_finish(&self, position: &AnyPosition, seconds: f64) -> bool {
        self.0.can_finish(position.get(), seconds)
    }

    fn solve(
        &mut self,
        position: &AnyPosition,
        margin: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Solved<crate::AnyGame>> {
        let solved = self.0.solve(position.get(), margin, is_over)?;
        Some(Solved {
            outcome: solved.outcome,
            margin: solved.margin,
            pv: solved.pv.into_iter().map(any).collect(),
        })
    }

    fn result(
        &mut self,
        position: &AnyPosition,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Outcome> {
        self.0.result(position.get(), is_over)
    }

    fn nodes(&self) -> u64 {
        self.0.nodes()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
