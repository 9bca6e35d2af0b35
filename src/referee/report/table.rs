//! The results as Markdown.

use crate::referee::config::{Config, Scoring};
use crate::referee::run::Played;
use crate::referee::tally::{self, Row};
use crate::statistics::anova::anova;
use crate::statistics::elo::{Rating, fit};
use crate::statistics::proportion::two_proportions;
use crate::statistics::sprt::Verdict;
use crate::statistics::tukey::honest_differences;
use std::collections::BTreeMap;
use std::fmt::Write;

/// With more rows than this in a game only the first is compared with the others.
const MOST_COMPARED: usize = 6;

/// Everything that is known of a match.
pub fn markdown(config: &Config, played: &Played) -> String {
    let rows = tally::rows(config, &played.games);
    let mut out = results(config, &rows);
    out.push_str(&work(&rows));
    out.push_str(&faults(&rows));
    out.push_str(&ratings(config, played));
    out.push_str(&comparisons(config, &rows));
    out.push_str(&variance(config, played));
    out.push_str(&sequential(config, played));
    out.push_str(&engines(config, played));
    out
}

/// A name as a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn percent(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.1}"))
}

fn results(config: &Config, rows: &[Row]) -> String {
    let mut out = String::from(
        "| game | first | second | games | won | drawn | lost | % of the first | 95 % | moving first | moving second | player one % | plies |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let (low, high) = row.score.interval();
        let interval = match row.score.games() {
            0 => "–".to_string(),
            _ => format!("{low:.1} to {high:.1}"),
        };
        let played = |value: f64| percent((row.games() > 0).then_some(value));
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {interval} | {} | {} | {} | {} |",
            row.game,
            cell(&row.a),
            cell(&row.b),
            row.games(),
            row.score.wins,
            row.score.draws,
            row.score.losses,
            percent(row.score.percent()),
            percent(row.seats[0].percent()),
            percent(row.seats[1].percent()),
            played(row.player_one_percent()),
            played(row.mean_plies()),
        );
    }
    if config.scoring == Scoring::Pairs {
        let discarded: u32 = rows.iter().map(|row| row.discarded).sum();
        let _ = writeln!(
            out,
            "\nWon, drawn and lost are pairs of games from one opening; {discarded} pairs that the same side won twice are not counted."
        );
    }
    out
}

fn work(rows: &[Row]) -> String {
    let mut out = String::from(
        "\n| game | engine | against | s a move | slowest | simulations or nodes a move | depth |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows.iter().filter(|row| row.games() > 0) {
        let seconds = row.mean(|work| work.seconds);
        let searched = row.mean_told(|work| match work.simulations {
            0 => work.nodes,
            simulations => simulations,
        });
        let depth = row.mean_told(|work| work.depth);
        let told = |value: Option<f64>, digits: usize| {
            value.map_or("–".into(), |value| format!("{value:.digits$}"))
        };
        for (i, (name, other)) in [(&row.a, &row.b), (&row.b, &row.a)].iter().enumerate() {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {:.3} | {:.3} | {} | {} |",
                row.game,
                cell(name),
                cell(other),
                seconds[i],
                row.work[i].slowest,
                told(searched[i], 0),
                told(depth[i], 1),
            );
        }
    }
    out
}

/// Games lost otherwise than by the rules or by resignation.
fn faults(rows: &[Row]) -> String {
    let mut all: BTreeMap<(&str, &str), (u32, &str)> = BTreeMap::new();
    for row in rows {
        for (i, name) in [&row.a, &row.b].into_iter().enumerate() {
            for (cause, count) in &row.faults[i] {
                let detail = row.details[i].get(cause).map_or("", String::as_str);
                all.entry((name, cause)).or_insert((0, detail)).0 += count;
            }
        }
    }
    if all.is_empty() {
        return String::new();
    }
    let mut out = String::from("\n| engine | lost by | games | the first |\n|---|---|---|---|\n");
    for ((name, cause), (count, detail)) in all {
        let detail = cell(&detail.replace(char::is_control, " "));
        let _ = writeln!(out, "| {} | {cause} | {count} | {detail} |", cell(name));
    }
    out
}

fn ratings(config: &Config, played: &Played) -> String {
    let names: Vec<String> = config
        .variants
        .iter()
        .map(|variant| variant.name())
        .collect();
    let mut columns: Vec<(String, Option<&str>)> = Vec::new();
    if names.len() > 1 {
        columns.push(("all games".into(), None));
    }
    columns.extend(names.iter().map(|name| (name.clone(), Some(name.as_str()))));
    let fits: Vec<_> = columns
        .iter()
        .map(|(_, game)| {
            fit(
                config.engines.len(),
                &tally::meetings(config, &played.games, *game),
            )
        })
        .collect();
    let Some(first) = fits[0].as_ref() else {
        return String::new();
    };
    let show = |rating: Option<&Rating>, prior: bool| match rating {
        Some(rating) => {
            let mark = if prior { "*" } else { "" };
            // No minus before a zero.
            format!(
                "{:+.0} ± {:.0}{mark}",
                rating.elo.round() + 0.0,
                rating.error
            )
        }
        None => "–".into(),
    };
    let mut order: Vec<usize> = (0..config.engines.len()).collect();
    order.sort_by(|a, b| first.players[*b].elo.total_cmp(&first.players[*a].elo));
    let mut out = String::from("\n| Elo |");
    columns
        .iter()
        .for_each(|(name, _)| out.push_str(&format!(" {name} |")));
    let _ = writeln!(out, "\n|---|{}", "---|".repeat(columns.len()));
    let rows = order
        .into_iter()
        .map(|i| (config.engines[i].name.as_str(), Some(i)));
    for (name, player) in rows.chain([("moving first", None)]) {
        let _ = write!(out, "| {} |", cell(name));
        for fit in &fits {
            let rating = fit.as_ref().and_then(|fit| match player {
                Some(i) => fit.players.get(i),
                None => fit.advantage.as_ref(),
            });
            let prior = fit.as_ref().is_some_and(|fit| fit.prior);
            let _ = write!(out, " {} |", show(rating, prior));
        }
        out.push('\n');
    }
    if fits.iter().flatten().any(|fit| fit.prior) {
        out.push_str("\n\\* Somebody won or lost everything: half a drawn game was added to each pair, from either seat.\n");
    }
    out
}

/// Two-tailed tests between the rows of one game.
fn comparisons(config: &Config, rows: &[Row]) -> String {
    let mut lines = String::new();
    for variant in &config.variants {
        let name = variant.name();
        let own: Vec<&Row> = rows
            .iter()
            .filter(|row| row.game == name && row.score.games() > 0)
            .collect();
        let firsts = if own.len() > MOST_COMPARED {
            1
        } else {
            own.len()
        };
        for (i, one) in own.iter().enumerate().take(firsts) {
            for two in &own[i + 1..] {
                let points = [one.score.points(), two.score.points()];
                let games = [one.score.games(), two.score.games()].map(f64::from);
                let row = |row: &Row| {
                    format!(
                        "{} – {} ({})",
                        cell(&row.a),
                        cell(&row.b),
                        percent(row.score.percent())
                    )
                };
                let (z, p) = match two_proportions(points, games) {
                    Some((z, p)) => (format!("{z:.2}"), format!("{p:.4}")),
                    None => ("–".into(), "1".into()),
                };
                let _ = writeln!(
                    lines,
                    "| {name} | {} | {} | {z} | {p} |",
                    row(one),
                    row(two)
                );
            }
        }
    }
    match lines.is_empty() {
        true => lines,
        false => format!(
            "\n| game | row | other row | z | p (two-tailed) |\n|---|---|---|---|---|\n{lines}"
        ),
    }
}

fn variance(config: &Config, played: &Played) -> String {
    let groups = tally::repetitions(config, &played.games);
    let Some(table) = anova(&groups) else {
        return match config.repetitions > 1 {
            true => {
                "\nNo analysis of variance: too few whole repetitions, or no variation in them.\n"
                    .into()
            }
            false => String::new(),
        };
    };
    let mut out = format!(
        "\nAnalysis of variance over {} repetitions: F({}, {}) = {:.2}, p = {:.4}.\n\n\
         | engine | engine | difference of mean scores | 95 % | p (Tukey) |\n|---|---|---|---|---|\n",
        groups[0].len(),
        table.between,
        table.within,
        table.f,
        table.p
    );
    for found in honest_differences(&table) {
        let (i, j) = found.groups;
        let _ = writeln!(
            out,
            "| {} | {} | {:+.1} % | {:+.1} to {:+.1} | {:.4} |",
            cell(&config.engines[i].name),
            cell(&config.engines[j].name),
            100.0 * found.difference,
            100.0 * found.interval.0,
            100.0 * found.interval.1,
            found.p
        );
    }
    out
}

fn sequential(config: &Config, played: &Played) -> String {
    let (Some(test), Some(state)) = (config.sprt, played.sprt) else {
        return String::new();
    };
    let verdict = match state.verdict() {
        Some(Verdict::H1) => format!("the first is at least {} Elo stronger (H1)", test.elo1),
        Some(Verdict::H0) => format!("the first is at most {} Elo stronger (H0)", test.elo0),
        None => "undecided".into(),
    };
    format!(
        "\nSequential test of {} against {} Elo: log-likelihood ratio {:.2} between {:.2} and {:.2}: {verdict}.\n",
        test.elo0, test.elo1, state.llr, state.lower, state.upper
    )
}

/// What the engines call themselves, where that is more than their names.
fn engines(config: &Config, played: &Played) -> String {
    let mut out = String::new();
    for engine in &config.engines {
        let mut known: Vec<&str> = Vec::new();
        for game in &played.games {
            for (name, identity) in [&game.a, &game.b].into_iter().zip(&game.identities) {
                let new = *name == engine.name
                    && !identity.is_empty()
                    && !known.contains(&identity.as_str());
                if new {
                    known.push(identity);
                }
            }
        }
        if !known.is_empty() {
            let _ = writeln!(out, "- {}: {}", engine.name, known.join("; "));
        }
    }
    match out.is_empty() {
        true => out,
        false => format!("\n{out}"),
    }
}
