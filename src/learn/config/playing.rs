//! Keys of the games that a network plays against itself.

use super::kinds::{choice, int, real, text};
use crate::eval::IMAGES;
use crate::options::Spec;

const BIG: i64 = 1_000_000_000;

pub const PLAY: &[Spec] = &[
    text(
        "searcher",
        "a searcher with its options",
        "alpha-beta",
        "who plays both sides; see list_searchers",
    ),
    int("games", (1, BIG), false, "8000", "games of a generation"),
    int(
        "first-games",
        (1, BIG),
        true,
        "500",
        "games of the first generation, whose lessons are soon outdated; later ones grow up to games",
    ),
    real(
        "growth",
        (1.0, 100.0),
        false,
        "1.5",
        "how many times the games of the generation before they are",
    ),
    int(
        "portion",
        (1, BIG),
        false,
        "50",
        "games that are written to disk together: what a kill can lose of each thread",
    ),
    int("nodes", (1, BIG), true, "400", "nodes of a search"),
    int(
        "simulations",
        (1, BIG),
        true,
        "off",
        "simulations of a search",
    ),
    int("depth", (1, 1000), true, "off", "plies of a search"),
    real(
        "seconds",
        (0.000_001, 1e6),
        true,
        "off",
        "seconds of a search",
    ),
    int(
        "memory",
        (1, 1 << 20),
        false,
        "8",
        "MiB of tables and trees for each game",
    ),
    int(
        "opening",
        (0, 1000),
        false,
        "8",
        "random plies that a game begins with, at most; their number is random, too",
    ),
    int(
        "policy-plies",
        (0, 1000),
        false,
        "0",
        "plies after those that the network's policy draws, at most; their number is random, too",
    ),
    real(
        "policy-temperature",
        (0.001, 1000.0),
        false,
        "1",
        "temperature at which it draws them",
    ),
    real(
        "balance",
        (0.0, 1.0),
        true,
        "off",
        "beginnings that the network finds further from 0 than this are drawn again",
    ),
    choice(
        "images",
        IMAGES.names,
        "none",
        "what networks over planes are asked about: a position as it is, one of its symmetric images, or the mean of all",
    ),
    real(
        "epsilon",
        (0.0, 1.0),
        false,
        "0.06",
        "probability of a random move instead of the searched one",
    ),
    real(
        "temperature",
        (0.0, 100.0),
        false,
        "0",
        "moves are drawn by visits to the power of 1 / temperature; 0 takes the best",
    ),
    int(
        "temperature-plies",
        (0, 10_000),
        false,
        "0",
        "plies from the start in which they are",
    ),
    real(
        "fast",
        (0.0, 1.0),
        false,
        "0",
        "share of moves with a fast search that nothing is learned from (KataGo's play-out cap randomisation)",
    ),
    text(
        "fast-searcher",
        "a searcher with its options",
        "puct",
        "who plays those",
    ),
    int(
        "fast-simulations",
        (1, BIG),
        false,
        "100",
        "simulations of those",
    ),
    real(
        "known-ends",
        (0.0, 1.0),
        false,
        "0.8",
        "share of games that end as soon as the game itself proves who wins (Hex: virtual connections); others are played to the end",
    ),
    int(
        "longest",
        (1, 1_000_000),
        true,
        "off",
        "plies after which a game is a draw; off leaves that to its rules, or to 500 plies where it has no end",
    ),
    int(
        "random-endings",
        (1, BIG),
        true,
        "off",
        "finished positions of random games that the network is trained on before its first game",
    ),
];
