//! A game of any type as a [`Game`]: every question goes through a pointer.

use crate::engine::{Engine, Native};
use crate::heuristics;
use crate::rulebook::{Rulebook, Typed};
use crate::{AnyMove, AnyPosition};
use std::sync::Arc;
use treeline_game::drawing::{Drawing, Piece, Spot};
use treeline_game::{
    Cell, Encoding, Exact, Features, ForMover, Foresight, Grid, Heuristic, Inferior, Knowledge,
    MoveError, Moves, Notation, Numbering, Outcome, Permutation, Planes, Player, Playout, Playouts,
    PositionError, Rng, Rules, Shape, Symmetric, Symmetry, Tabled, Tally, Tuning,
};

/// A game in one variant, whatever its type. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct AnyGame {
    pub(crate) rules: Arc<dyn Rulebook>,
    /// Searches compiled for the game's own type, where there are any.
    pub(crate) engine: Option<Arc<dyn Engine>>,
    pub(crate) tuning: Tuning,
    heuristics: &'static [Heuristic<AnyGame>],
}

impl AnyGame {
    /// A game that all searchers are compiled for, in the crate that calls this: for boards that many people play.
    pub fn native<G: Notation>(game: G) -> Self {
        let engine: Arc<dyn Engine> = Arc::new(Native(game.clone()));
        AnyGame {
            engine: Some(engine),
            ..Self::general(game)
        }
    }

    /// A game whose rules are compiled and whose searches are those of `AnyGame`: slower by the pointers, and quick to
    /// build. Random games run at full speed all the same.
    pub fn general<G: Notation>(game: G) -> Self {
        let rules: Arc<dyn Rulebook> = Arc::new(Typed(game));
        AnyGame {
            heuristics: heuristics::of::<G>(&*rules),
            rules,
            engine: None,
            tuning: Tuning::DEFAULT,
        }
    }

    /// The same, searched as `tuning` says.
    pub fn tuned(self, tuning: Tuning) -> Self {
        AnyGame { tuning, ..self }
    }

    /// Bytes of a position in the game's own type, which its own searches copy.
    pub fn position_bytes(&self) -> usize {
        self.rules.position_bytes()
    }

    /// Paths of exactly `plies` plies, or `None` once `is_over` says so, at the speed of the game's own type.
    pub fn perft(
        &self,
        position: &AnyPosition,
        plies: u32,
        is_over: &dyn Fn() -> bool,
    ) -> Option<u64> {
        self.rules.perft(position, plies, is_over)
    }

    /// Appends what [`each_numbered`](treeline_game::numbering::each_numbered) visits, at the speed of the game's own type.
    pub fn list_numbered(&self, position: &AnyPosition, moves: &mut Vec<(u32, AnyMove)>) {
        self.rules.list_numbered(position, moves);
    }

    /// Sets the bits of the numbers that [`each_numbered`](treeline_game::numbering::each_numbered) visits, number 64 in the second
    /// word, at the speed of the game's own type. There is a bit for each of the game's [`numbers`](treeline_game::numbering::numbers).
    pub fn mark_numbered(&self, position: &AnyPosition, bits: &mut [u64]) {
        self.rules.mark_numbered(position, bits);
    }

    /// As [`find`](treeline_game::numbering::find), at the speed of the game's own type.
    pub fn find_numbered(&self, position: &AnyPosition, number: u32) -> Option<AnyMove> {
        self.rules.find_numbered(position, number)
    }

    /// As [`Playouts::playouts`], but each game alone, as searches play them: to measure.
    pub fn playouts_one_by_one(&self, position: &AnyPosition, count: u64, rng: &mut Rng) -> Tally {
        self.rules.playouts_one_by_one(position, count, rng)
    }
}

impl Rules for AnyGame {
    type Position = AnyPosition;
    type Move = AnyMove;

    fn start(&self) -> AnyPosition {
        self.rules.start()
    }
    fn turn(&self, p: &AnyPosition) -> Player {
        self.rules.turn(p)
    }
    fn key(&self, p: &AnyPosition) -> u64 {
        self.rules.key(p)
    }
    fn state_key(&self, p: &AnyPosition) -> u64 {
        self.rules.state_key(p)
    }
    fn slots(&self) -> usize {
        self.rules.slots()
    }
    fn slot(&self, p: &AnyPosition, m: AnyMove) -> usize {
        self.rules.slot(p, m)
    }
    fn outcome(&self, p: &AnyPosition) -> Option<Outcome> {
        self.rules.outcome(p)
    }
    fn is_cut_off(&self, p: &AnyPosition) -> bool {
        self.rules.is_cut_off(p)
    }
    fn each_move(&self, p: &AnyPosition, visit: impl FnMut(AnyMove)) {
        self.moves(p).into_iter().for_each(visit);
    }
    fn moves(&self, p: &AnyPosition) -> Moves<AnyMove> {
        let mut moves = Moves::new();
        self.rules.list_moves(p, &mut moves);
        moves
    }
    fn count_moves(&self, p: &AnyPosition) -> u32 {
        self.rules.count_moves(p)
    }
    fn apply(&self, p: &mut AnyPosition, m: AnyMove) {
        self.rules.apply(p, m);
    }
    fn repetition(&self) -> Option<u32> {
        self.rules.repetition()
    }
    fn reversible_plies(&self, p: &AnyPosition) -> u32 {
        self.rules.reversible_plies(p)
    }
    fn longest(&self) -> Option<u32> {
        self.rules.longest()
    }
    fn usual_length(&self) -> Option<u32> {
        self.rules.usual_length()
    }
    fn margin(&self, p: &AnyPosition) -> Option<i32> {
        self.rules.margin(p)
    }
    fn largest_margin(&self) -> u32 {
        self.rules.largest_margin()
    }
    fn with_turn(&self, p: &AnyPosition, player: Player) -> Option<AnyPosition> {
        self.rules.with_turn(p, player)
    }
    fn forced_pass(&self, p: &AnyPosition) -> Option<AnyMove> {
        self.rules.forced_pass(p)
    }
    fn leaves(&self, p: &AnyPosition) -> u64 {
        self.rules.leaves(p)
    }
}

impl Symmetric for AnyGame {
    fn symmetries(&self) -> &'static [Symmetry] {
        self.rules.symmetries()
    }
    fn image(&self, s: usize, p: &AnyPosition) -> AnyPosition {
        self.rules.image(s, p)
    }
    fn image_of_move(&self, s: usize, p: &AnyPosition, m: AnyMove) -> AnyMove {
        self.rules.image_of_move(s, p, m)
    }
}

impl Planes for AnyGame {
    fn encodings(&self) -> &'static [Encoding] {
        self.rules.encodings()
    }
    fn shape(&self, e: usize) -> Shape {
        self.rules.shape(e)
    }
    fn write_planes(&self, e: usize, p: &AnyPosition, out: &mut [f32]) {
        self.rules.write_planes(e, p, out);
    }
    fn policy_output(&self, e: usize, p: &AnyPosition, m: AnyMove) -> usize {
        self.rules.policy_output(e, p, m)
    }
    fn exchange(&self, e: usize, p: &AnyPosition) -> Option<AnyMove> {
        self.rules.exchange(e, p)
    }
    fn is_ambiguous(&self, e: usize, p: &AnyPosition) -> bool {
        self.rules.is_ambiguous(e, p)
    }
    fn permutation(&self, e: usize, s: usize) -> Option<Permutation> {
        self.rules.permutation(e, s)
    }
    fn numbering(&self) -> Numbering {
        self.rules.numbering()
    }
}

impl Features for AnyGame {
    fn features(&self) -> usize {
        self.rules.features()
    }
    fn features_version(&self) -> u32 {
        self.rules.features_version()
    }
    fn write_features(&self, p: &AnyPosition, player: Player, out: &mut [u64]) {
        self.rules.write_features(p, player, out);
    }
    fn turned_feature(&self, feature: usize) -> usize {
        self.rules.turned_feature(feature)
    }
    fn patterns(&self) -> Option<treeline_game::pattern::Patterns> {
        self.rules.patterns()
    }
}

impl Knowledge for AnyGame {
    fn heuristics(&self) -> &'static [Heuristic<AnyGame>] {
        self.heuristics
    }
    fn benchmark(&self) -> &'static str {
        self.rules.benchmark()
    }
    fn is_early(&self, p: &AnyPosition) -> bool {
        self.rules.is_early(p)
    }
    fn each_noisy(&self, p: &AnyPosition, visit: impl FnMut(AnyMove)) {
        let mut moves = Moves::new();
        self.rules.list_noisy(p, &mut moves);
        moves.into_iter().for_each(visit);
    }
    fn has_noisy(&self, p: &AnyPosition) -> bool {
        self.rules.has_noisy(p)
    }
    fn is_noisy(&self, p: &AnyPosition, m: AnyMove) -> bool {
        self.rules.is_noisy(p, m)
    }
    fn must_be_noisy(&self, p: &AnyPosition, count: u32) -> bool {
        self.rules.must_be_noisy(p, count)
    }
    fn material_class(&self, p: &AnyPosition) -> Option<usize> {
        self.rules.material_class(p)
    }
    fn passed(&self, p: &AnyPosition) -> Option<AnyPosition> {
        self.rules.passed(p)
    }
    fn volatility(&self, p: &AnyPosition) -> f32 {
        self.rules.volatility(p)
    }
    fn sensible_moves(&self, p: &AnyPosition) -> Moves<AnyMove> {
        self.rules.sensible_moves(p)
    }
    fn weight(&self, p: &AnyPosition, m: AnyMove) -> f32 {
        self.rules.weight(p, m)
    }
    fn prior(&self, p: &AnyPosition, m: AnyMove) -> Option<ForMover> {
        self.rules.prior(p, m)
    }
    fn foresee(&self, p: &AnyPosition) -> Foresight<AnyMove> {
        self.rules.foresee(p)
    }
    fn study(&self, p: &AnyPosition) -> Foresight<AnyMove> {
        self.rules.study(p)
    }
    fn inferior(&self, p: &AnyPosition) -> Inferior<AnyMove> {
        self.rules.inferior(p)
    }
    fn load_tables(&self, memory: usize) -> usize {
        self.rules.load_tables(memory)
    }
    fn tabled(&self, p: &AnyPosition) -> Option<Tabled> {
        self.rules.tabled(p)
    }
    fn exact(&self, memory: usize) -> Option<Box<dyn Exact<Self>>> {
        self.rules.exact(memory)
    }
}

impl Playouts for AnyGame {
    fn plays_on(&self) -> bool {
        self.rules.plays_on()
    }
    fn playout(&self, p: AnyPosition, rng: &mut Rng) -> Playout {
        self.rules.playout(p, rng)
    }
    fn playouts(&self, p: AnyPosition, count: u64, rng: &mut Rng) -> Tally {
        self.rules.playouts(p, count, rng)
    }
}

impl Notation for AnyGame {
    fn write_move(&self, p: &AnyPosition, m: AnyMove) -> String {
        self.rules.write_move(p, m)
    }
    fn read_move(&self, p: &AnyPosition, text: &str) -> Result<AnyMove, MoveError> {
        self.rules.read_move(p, text)
    }
    fn read_adjustment(&self, p: &AnyPosition, text: &str) -> Option<AnyPosition> {
        self.rules.read_adjustment(p, text)
    }
    fn is_move_text(&self, plain_text: &str) -> bool {
        self.rules.is_move_text(plain_text)
    }
    fn example_move(&self) -> &'static str {
        self.rules.example_move()
    }
    fn write_position(&self, p: &AnyPosition) -> String {
        self.rules.write_position(p)
    }
    fn read_position(&self, text: &str) -> Result<AnyPosition, PositionError> {
        self.rules.read_position(text)
    }
    fn board(&self, p: &AnyPosition) -> String {
        self.rules.board(p)
    }
    fn grid(&self, p: &AnyPosition) -> Option<Grid> {
        self.rules.grid(p)
    }
    fn drawing(&self, p: &AnyPosition) -> Drawing {
        self.rules.drawing(p)
    }
    fn trails(&self, p: &AnyPosition, m: AnyMove) -> Vec<Vec<String>> {
        self.rules.trails(p, m)
    }
    fn placed_at(&self, p: &AnyPosition, m: AnyMove) -> Option<Cell> {
        self.rules.placed_at(p, m)
    }
    fn set_up(
        &self,
        stones: &[(Player, Cell)],
        turn: Player,
    ) -> Result<AnyPosition, PositionError> {
        self.rules.set_up(stones, turn)
    }
    fn pieces(&self) -> Vec<Piece> {
        self.rules.pieces()
    }
    fn arrange(&self, spots: &[Spot], turn: Player) -> Result<AnyPosition, PositionError> {
        self.rules.arrange(spots, turn)
    }
}
