//! Ways of learning: what differs from the defaults of `specs`.

/// A way of learning from play against oneself.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    pub name: &'static str,
    /// One line, with its source.
    pub help: &'static str,
    /// `(section, key, value)`.
    pub preset: &'static [(&'static str, &'static str, &'static str)],
}

/// The first is the default.
pub const METHODS: &[Method] = &[
    Method {
        name: "treestrap",
        help: "alpha-beta with a small budget; its inner nodes learn their searched values and bounds (Veness et al. 2009)",
        preset: &[],
    },
    Method {
        name: "descent",
        help: "best-first minimax to the end of the game; every state of its tree learns its value (NIM Alg. 10)",
        preset: &[
            ("run", "architecture", "cnet(64,100)"),
            ("play", "searcher", "descent"),
            ("play", "games", "16"),
            ("play", "first-games", "off"),
            ("play", "portion", "1"),
            ("play", "nodes", "400"),
            ("play", "memory", "64"),
            ("play", "opening", "0"),
            ("play", "epsilon", "0"),
            ("data", "result", "0"),
            ("data", "inner", "off"),
            ("replay", "generations", "3"),
            ("replay", "states", "2000000"),
            ("train", "batch", "128"),
            ("train", "rate", "0.001"),
            ("train", "passes", "0.04"),
            ("train", "weight-decay", "0.001"),
            ("train", "rate-end", "0.001"),
            ("watch", "searcher", "ubfm"),
        ],
    },
    Method {
        name: "alphazero",
        help: "PUCT with root noise; the policy learns the visits, the value the result (Silver et al. 2018)",
        preset: ALPHAZERO,
    },
    Method {
        name: "polygames",
        help: "the same with Polygames' formula (MSB §4.1)",
        preset: &{
            let mut preset = *ALPHAZERO;
            preset[1] = ("play", "searcher", "polygames root-noise=0.25");
            preset[2] = ("watch", "searcher", "polygames");
            preset
        },
    },
];

const ALPHAZERO: &[(&str, &str, &str); 19] = &[
    ("run", "architecture", "a0(4,64)"),
    ("play", "searcher", "puct root-noise=0.25"),
    ("watch", "searcher", "puct"),
    ("play", "games", "64"),
    ("play", "first-games", "off"),
    ("play", "portion", "1"),
    ("play", "nodes", "off"),
    ("play", "simulations", "200"),
    ("play", "memory", "32"),
    ("play", "opening", "0"),
    ("play", "epsilon", "0"),
    ("play", "temperature", "1"),
    ("play", "temperature-plies", "20"),
    ("data", "states", "root"),
    ("data", "result", "1"),
    ("replay", "generations", "20"),
    ("train", "batch", "256"),
    ("train", "rate", "0.001"),
    ("train", "weight-decay", "0.0001"),
];
