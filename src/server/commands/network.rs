//! Commands about networks.

use super::{Command, Context, Outcome, done, sentence, text};
use treeline_protocol::Args;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "set_network",
        arguments: "NAME | FILE | auto | none",
        help: "evaluates with a network of the program or of a file, with the program's best for the game, or with none",
        run: set_network,
    },
    Command {
        name: "list_networks",
        arguments: "",
        help: "a line each, tab-separated: name, game, architecture, and used or a hyphen",
        run: list_networks,
    },
    Command {
        name: "evaluate",
        arguments: "",
        help: "what the network says of the position, value and move probabilities, or the heuristics without one",
        run: evaluate,
    },
];

fn set_network(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = sentence(args, "a network")?;
    context.session()?.set_network(&name)?;
    text("")
}

fn list_networks(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let rows = context.session()?.networks();
    let lines: Vec<String> = rows.iter().map(|row| row.join("\t")).collect();
    text(lines.join("\n"))
}

fn evaluate(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    if session.game.outcome().is_some() {
        return Err("the game is over".into());
    }
    text(session.game.evaluate().text())
}
