//! Learned models for `muzero`, as bundles of three networks.

use super::*;

/// The planes of a latent state.
const LATENT: usize = 3;

struct Sizes {
    shape: treeline::game::Shape,
    cells: usize,
    actions: usize,
}

fn sizes(game: &str, variant: &str) -> Sizes {
    let game = games::find(game).unwrap().open_variant(variant).unwrap();
    let shape = game.shape(1);
    let cells = shape.rows * shape.columns;
    Sizes {
        shape,
        cells,
        actions: shape.policy.div_ceil(cells),
    }
}

/// A random network of these planes and outputs on the game's board.
fn part(game: &str, variant: &str, planes: usize, outputs: usize, seed: u64) -> Weights {
    let Sizes { shape, .. } = sizes(game, variant);
    let shape = Shape::planes(planes, shape.rows, shape.columns, outputs);
    let mut weights = arch::random("a0(1,4,4)", &shape, seed).unwrap();
    weights.meta.game = game.into();
    weights.meta.variant = variant.into();
    weights.meta.encoding = 2;
    weights
}

/// Representation, dynamics and prediction.
fn model(game: &str, variant: &str) -> [Weights; 3] {
    let Sizes {
        shape,
        cells,
        actions,
    } = sizes(game, variant);
    [
        part(game, variant, shape.planes, LATENT * cells, 1),
        part(game, variant, LATENT + actions, LATENT * cells, 2),
        part(game, variant, LATENT, shape.policy, 3),
    ]
}

/// Writes a model and answers where its bundle is.
fn write(folder: &Folder, parts: &[Weights; 3]) -> String {
    for (name, weights) in ["h", "g", "f"].iter().zip(parts) {
        folder.network(name, weights);
    }
    let path = folder.path("model.toml");
    let text = "representation = 'h'\ndynamics = 'g'\nprediction = 'f'\n";
    fs::write(&path, text).unwrap();
    path
}

const GAMES: &[(&str, &str)] = &[
    ("breakthrough", ""),
    ("connect-four", ""),
    ("draughts", ""),
    ("hex", "size=5"),
    ("hex", "size=5 swap=on"),
    ("kalah", ""),
    ("lines-of-action", ""),
    ("othello", "size=6"),
];

#[test]
fn muzero_plays_a_model_in_every_game() {
    let folder = Folder::new("model");
    for (game, variant) in GAMES {
        let bundle = write(&folder, &model(game, variant));
        let mut engine = quick(&["--game", &format!("{game} {variant}")]);
        engine.ok("set_option depth off");
        engine.ok("set_option nodes off");
        engine.ok("set_option simulations 25");
        engine.ok("set_searcher muzero");
        engine.ok(&format!("set_network {bundle}"));
        for _ in 0..6 {
            let turn = engine.ok("side_to_move");
            engine.ok(&format!("genmove {turn}"));
            let stats = stats(&mut engine);
            assert_eq!(stats["simulations"], 25, "{game}: {stats}");
            // One for the root, one for each simulation: nothing ends below the root.
            assert_eq!(stats["evaluations"], 26, "{game}: {stats}");
            assert_eq!(stats["network"], bundle.as_str(), "{game}");
        }
        // Others judge by what it predicts of the position itself.
        engine.ok("set_searcher puct");
        let turn = engine.ok("side_to_move");
        engine.ok(&format!("genmove {turn}"));
    }
}

#[test]
fn evaluate_shows_the_prediction_of_the_representation() {
    let folder = Folder::new("represented");
    let parts = model("connect-four", "");
    let mut engine = quick(&["--game", "connect-four"]);
    engine.ok(&format!("set_network {}", write(&folder, &parts)));
    let said = engine.ok("evaluate");
    let line = said.lines().find(|line| line.starts_with("value")).unwrap();
    let found: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    let forward = |weights: &Weights, input: &[f32]| {
        let Network::Planes { plan, weights, .. } = Network::load(weights.clone()).unwrap() else {
            panic!("no network over planes")
        };
        Reference::new(&plan, &weights).forward(input)
    };
    let game = games::find("connect-four")
        .unwrap()
        .open_variant("")
        .unwrap();
    let shape = game.shape(1);
    let mut planes = vec![0.0; shape.planes * shape.rows * shape.columns];
    game.write_planes(1, &game.start(), &mut planes);
    let (_, state) = forward(&parts[0], &planes);
    // Each plane by itself.
    let scaled: Vec<f32> = state
        .chunks(shape.rows * shape.columns)
        .flat_map(|plane| {
            let least = plane.iter().copied().fold(f64::INFINITY, f64::min);
            let most = plane.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            plane
                .iter()
                .map(move |x| ((x - least) / (most - least)) as f32)
        })
        .collect();
    let (value, _) = forward(&parts[2], &scaled);
    assert!((found - value).abs() < 2e-4, "{said}: {value}");
}

#[test]
fn what_is_no_model_is_refused_with_what_was_expected() {
    let folder = Folder::new("unfit");
    let mut engine = quick(&["--game", "connect-four"]);
    let good = || model("connect-four", "");
    let with = |place: usize, weights: Weights| {
        let mut parts = good();
        parts[place] = weights;
        parts
    };
    let own = |planes, outputs| part("connect-four", "", planes, outputs, 9);
    let Sizes { shape, cells, .. } = sizes("connect-four", "");
    let mut features = weights("inc(8)", "connect-four", "", 1);
    features.meta.game = "connect-four".into();
    for (parts, reason) in [
        (
            with(0, own(shape.planes, 5)),
            "a representation with a state of",
        ),
        (with(0, own(9, LATENT * cells)), "a representation of"),
        (with(1, own(LATENT, LATENT * cells)), "dynamics of"),
        (with(1, own(LATENT + 1, cells)), "dynamics of"),
        (with(2, own(LATENT + 1, shape.policy)), "a prediction of"),
        (with(2, own(LATENT, shape.policy + 1)), "a prediction of"),
        (with(2, features), "planes"),
    ] {
        let bundle = write(&folder, &parts);
        let refusal = engine.refused(&format!("set_network {bundle}"));
        assert!(
            refusal.contains(reason) && refusal.contains("model.toml"),
            "{reason}: {refusal}"
        );
    }
    // The game of the session changes with the network's, or it is refused: a model of another board fits no board here.
    let bundle = write(&folder, &model("hex", "size=5"));
    let refusal = engine.refused(&format!("set_network {bundle}"));
    assert!(refusal.contains("hex"), "{refusal}");
    assert_eq!(engine.ok("get_option network"), "auto");
}
