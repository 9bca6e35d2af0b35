//! What a game begins with, made from the match's seed: the same for both games of a pair, whoever plays them.

use super::board::Variant;
use super::config::{Config, Openings, position_of};
use super::engine::GameState;
use crate::game::random::{self, Rng};
use anyhow::{Context, Result, anyhow, bail};

/// A board with so few seeds on one side or so unlucky a draw that it is drawn again.
const TRIES: u32 = 1000;

/// The position, with the moves that led to it, from which pair of games `number` begins.
pub fn open(config: &Config, variant: &Variant, number: u32) -> Result<GameState> {
    match &config.openings {
        Openings::Plies(plies) => random_plies(variant, *plies, generator(config, number)),
        Openings::Lines(lines) => {
            let line = &lines[number as usize % lines.len()];
            play_line(variant, line).with_context(|| format!("opening '{line}'"))
        }
        Openings::RandomSeeds => random_seeds(variant, generator(config, number)),
    }
}

/// Whether every line of a file can be played, before the first game.
pub fn check(config: &Config) -> Result<()> {
    if let Openings::Lines(lines) = &config.openings {
        for variant in &config.variants {
            for line in lines {
                let state =
                    play_line(variant, line).with_context(|| format!("opening '{line}'"))?;
                if state.board.outcome().is_some() {
                    bail!("opening '{line}' ends the game");
                }
            }
        }
    }
    Ok(())
}

fn generator(config: &Config, number: u32) -> Rng {
    random::seeded(random::mix(config.seed) ^ u64::from(number))
}

fn random_plies(variant: &Variant, plies: u32, mut rng: Rng) -> Result<GameState> {
    let mut plies = plies;
    loop {
        let mut state = GameState::new(variant, None)?;
        for _ in 0..plies {
            let legal = state.board.legal_moves();
            if legal.is_empty() {
                break;
            }
            let m = &legal[random::pick(&mut rng, legal.len() as u32) as usize];
            state.play(m)?;
        }
        // An opening that ends the game is no opening; one ply less cannot fail for ever.
        if state.board.outcome().is_none() {
            return Ok(state);
        }
        plies = plies.saturating_sub(1);
    }
}

fn play_line(variant: &Variant, line: &str) -> Result<GameState> {
    if let Some(position) = position_of(line) {
        return GameState::new(variant, Some(position));
    }
    let mut state = GameState::new(variant, None)?;
    for text in line.split_whitespace() {
        state.play(text)?;
    }
    Ok(state)
}

/// As many seeds as the variant has, each in a random house; both sides have one at least.
fn random_seeds(variant: &Variant, mut rng: Rng) -> Result<GameState> {
    let number = |name: &str| variant.values.int(name).unwrap_or(0).max(1) as u32;
    let houses = number("houses");
    for _ in 0..TRIES {
        let mut board = vec![0u32; 2 * houses as usize];
        for _ in 0..2 * houses * number("seeds") {
            board[random::pick(&mut rng, 2 * houses) as usize] += 1;
        }
        let side = |seeds: &[u32]| {
            let counts: Vec<String> = seeds.iter().map(u32::to_string).collect();
            format!("{}:0", counts.join(","))
        };
        let (one, two) = board.split_at(houses as usize);
        let text = format!("{} {} b", side(one), side(two));
        // A board where one side is empty is refused.
        if let Ok(state) = GameState::new(variant, Some(&text))
            && state.board.outcome().is_none()
        {
            return Ok(state);
        }
    }
    Err(anyhow!("no random board can be played in this variant"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(game: &str, openings: Openings) -> Config {
        Config {
            variants: vec![Variant::read(game).unwrap()],
            openings,
            ..Config::empty()
        }
    }

    fn opened(config: &Config, number: u32) -> GameState {
        open(config, &config.variants[0], number).unwrap()
    }

    #[test]
    fn random_boards_of_kalah_have_all_seeds_and_empty_stores() {
        let config = config("kalah houses=3 seeds=2", Openings::RandomSeeds);
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..50 {
            let position = opened(&config, number).board.position();
            assert_eq!(position, opened(&config, number).board.position());
            let counts = position
                .split([' ', ',', ':'])
                .filter_map(|n| n.parse::<u32>().ok());
            assert_eq!(counts.sum::<u32>(), 12, "{position}");
            assert_eq!(position.matches(":0").count(), 2, "{position}");
            seen.insert(position);
        }
        assert!(seen.len() > 30);
    }

    #[test]
    fn lines_are_taken_in_turn_and_checked() {
        let lines = vec!["a3 b2".to_string(), "position: 3/1b1/3 w".to_string()];
        let config = config("hex size=3", Openings::Lines(lines));
        check(&config).unwrap();
        assert_eq!(opened(&config, 0).plies.len(), 2);
        assert_eq!(opened(&config, 3).start.as_deref(), Some("3/1b1/3 w"));
        let bad = super::tests::config("hex size=3", Openings::Lines(vec!["a3 a3".into()]));
        let error = format!("{:#}", check(&bad).unwrap_err());
        assert!(error.contains("opening 'a3 a3'"), "{error}");
    }

    #[test]
    fn an_opening_never_ends_the_game() {
        let config = config("connect-four width=4 height=4 line=2", Openings::Plies(6));
        for number in 0..20 {
            assert!(opened(&config, number).board.outcome().is_none());
        }
    }
}
