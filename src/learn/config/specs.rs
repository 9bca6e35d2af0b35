//! Every key of a run's configuration: section by section, name, range, default, meaning.

use super::kinds::{BIG, Section, choice, flag, int, real, text};
use super::own::{ALPHAGO, DQN, MUZERO, SMALL};
use super::playing::PLAY;
use super::words::{GATE_DRAWS, GATE_FAILED, IMAGES, STATES, TRAINS_IN};
use crate::eval::network::PRECISIONS;
use crate::options::{Kind, Spec};

pub const SECTIONS: &[Section] = &[
    Section {
        name: "run",
        help: "what learns, and on what",
        specs: RUN,
        methods: &[],
    },
    Section {
        name: "stop",
        help: "when the run is over; what comes first",
        specs: STOP,
        methods: &[],
    },
    Section {
        name: "play",
        help: "the games it plays against itself",
        specs: PLAY,
        methods: &[],
    },
    Section {
        name: "data",
        help: "what it learns from them",
        specs: DATA,
        methods: &[],
    },
    Section {
        name: "replay",
        help: "how far back it learns; the strictest counts",
        specs: REPLAY,
        methods: &[],
    },
    Section {
        name: "train",
        help: "how it learns",
        specs: TRAIN,
        methods: &[],
    },
    Section {
        name: "watch",
        help: "how strong it has become",
        specs: WATCH,
        methods: &[],
    },
    ALPHAGO,
    DQN,
    MUZERO,
    SMALL,
];

const RUN: &[Spec] = &[
    choice(
        "method",
        super::method::NAMES,
        "treestrap",
        "the way of learning, whose values stand for keys that are missing here; see 'treeline learn methods'",
    ),
    text(
        "game",
        "a game and its variant, such as hex size=9",
        "breakthrough",
        "what is played; see 'treeline games'",
    ),
    text(
        "architecture",
        "an architecture such as inc(128) or cnet(64,100)",
        "inc(128)",
        "the network; see 'treeline net architectures'",
    ),
    text(
        "network",
        "random or a network file",
        "random",
        "the first weights; those of a file, of this game and architecture, or of a smaller one of its name, are learned on with",
    ),
    Spec {
        name: "planes",
        kind: Kind::Count { min: 1, max: 1000 },
        default: "auto",
        help: "version of the planes, see 'treeline net planes'; auto takes the newest of the mover's view",
    },
    int(
        "seed",
        (0, i64::MAX),
        false,
        "1",
        "chooses first weights, openings and samples",
    ),
    Spec {
        name: "threads",
        kind: Kind::Count { min: 1, max: 1024 },
        default: "auto",
        help: "games at once; auto is one a core. One thread and no limits in seconds repeat a run exactly",
    },
    text(
        "device",
        "auto, cpu or cuda:N",
        "auto",
        "where networks over planes play and train",
    ),
    choice(
        "precision",
        PRECISIONS.names,
        "f32",
        "how networks over planes compute in games",
    ),
];

const STOP: &[Spec] = &[
    real(
        "minutes",
        (0.01, 1e6),
        true,
        "180",
        "minutes of work, all resumptions together",
    ),
    int("generations", (1, BIG), true, "off", "generations"),
    int(
        "evaluations",
        (1, 1 << 53),
        true,
        "off",
        "positions judged in games; the generation that reaches them is the last",
    ),
];

const DATA: &[Spec] = &[
    choice(
        "states",
        STATES.names,
        "tree",
        "terminal: each state of a game with its result; root: with its searched value; tree: and what the search found \
         of other states; the first two are few states, to be kept for longer and shown more often",
    ),
    real(
        "result",
        (0.0, 1.0),
        false,
        "0.5",
        "share of the game's result in the value of its states; the rest is the search's",
    ),
    int(
        "inner",
        (1, BIG),
        true,
        "4",
        "states of one search that are kept besides the game's, chosen at random",
    ),
    int(
        "inner-depth",
        (0, 100),
        false,
        "0",
        "the least plies that were searched below such a state; with few the search hardly knows more of it than the network",
    ),
    flag(
        "quiet",
        "off",
        "leaves out states in which every move is a capture, where captures are compulsory: a search that follows captures to \
         their end never asks the network about them",
    ),
    text(
        "from",
        "the folder of a run, or none",
        "none",
        "a run of the same game whose states on disk, seen alike, the network is trained on before its first game",
    ),
    choice(
        "images",
        IMAGES.names,
        "random",
        "symmetric images: each state as it is, as one of them, or as all that differ",
    ),
];

const REPLAY: &[Spec] = &[
    int("generations", (1, BIG), true, "4", "generations"),
    int(
        "games",
        (1, BIG),
        true,
        "off",
        "games, in whole portions; the newest portion always stays",
    ),
    int(
        "states",
        (1, 1 << 31),
        false,
        "8000000",
        "states; each takes about 60 bytes of memory for inc(128)",
    ),
    flag(
        "keep",
        "off",
        "what is further back stays on disk instead of being removed",
    ),
];

const TRAIN: &[Spec] = &[
    real("rate", (1e-9, 10.0), false, "0.003", "Adam's step size"),
    real(
        "rate-factor",
        (0.01, 1.0),
        false,
        "0.97",
        "what the step size is multiplied with after each generation",
    ),
    real(
        "rate-end",
        (1e-9, 10.0),
        false,
        "0.0001",
        "the step size does not sink below",
    ),
    real(
        "weight-decay",
        (0.0, 1.0),
        false,
        "0",
        "what is taken off each weight for each unit of it; decoupled says how",
    ),
    flag(
        "decoupled",
        "off",
        "weight-decay times the step size is taken off the weight itself (AdamW); off: it is added to the gradient (L2), of which \
         Adam makes whole steps towards 0 wherever little else is learned",
    ),
    int("batch", (1, 1 << 20), false, "4096", "states of a step"),
    real(
        "passes",
        (0.0001, 100.0),
        false,
        "1",
        "how often a generation's training shows each state of the replay, on average; of [data] from, too",
    ),
    real(
        "value-passes",
        (0.0001, 100.0),
        true,
        "off",
        "how often it shows a state's value, on average, at most as often as passes: else the policy learns alone; off: as often. Networks \
         learn results by heart long before they have learned the searches' shares; not for dqn, muzero, alphago, three-stage, mpv and hybrid",
    ),
    real(
        "policy-factor",
        (0.0, 1000.0),
        false,
        "1",
        "what the policy's loss counts beside the value's",
    ),
    flag(
        "norm",
        "off",
        "a batch norm behind each convolution, which is folded into it for playing; not for muzero",
    ),
    choice(
        "precision",
        TRAINS_IN.names,
        "auto",
        "how networks over planes compute in training: bf16 rounds what goes from layer to layer; auto takes it on a CPU that has \
         instructions for it (AVX-512 BF16), where it took three fifths of the time; not for muzero",
    ),
    real(
        "dropout",
        (0.0, 0.9),
        false,
        "0",
        "chance with which each number that a dense layer of a network over planes sees is left out of a step; not for muzero",
    ),
    int(
        "average",
        (1, 1_000_000),
        false,
        "1",
        "steps whose weights the playing network is the mean of, the last ones more; 1 takes the last alone",
    ),
    real(
        "checkpoint",
        (0.1, 100_000.0),
        false,
        "15",
        "seconds of training between checkpoints",
    ),
    real(
        "gate",
        (0.0, 1.0),
        true,
        "off",
        "score against the network before that a new one must reach to play the next generation",
    ),
    int(
        "gate-games",
        (2, 100_000),
        false,
        "20",
        "games of that match: watch.searcher with the limits of [play]",
    ),
    Spec {
        name: "gate-draws",
        kind: GATE_DRAWS.kind(),
        default: "half",
        help: "what a drawn game of that match counts: half a win, or out: wins among the games that somebody won (MPV)",
    },
    Spec {
        name: "gate-failed",
        kind: GATE_FAILED.kind(),
        default: "learns",
        help: "a network that does not pass learns on, or is discarded for the one before, with a fresh optimiser (MPV)",
    },
];

const WATCH: &[Spec] = &[
    real(
        "minutes",
        (0.01, 1e6),
        true,
        "15",
        "minutes of work between matches; they count as work, too",
    ),
    text(
        "searcher",
        "a searcher with its options",
        "alpha-beta",
        "who plays with the network in matches",
    ),
    text(
        "opponents",
        "searchers without network, apart by commas, or none",
        "alpha-beta",
        "fixed opponents",
    ),
    int(
        "earlier",
        (0, 100),
        false,
        "2",
        "earlier networks of the run that are opponents, too",
    ),
    int(
        "games",
        (2, 100_000),
        false,
        "40",
        "games against each opponent",
    ),
    real("seconds", (0.001, 1e6), false, "0.02", "seconds for a move"),
];
