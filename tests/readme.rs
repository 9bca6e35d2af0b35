//! The README stays true: its first commands, its tables of games, searchers and folders.

use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

#[test]
fn it_is_short() {
    let words = readme().split_whitespace().count();
    assert!(words < 1200, "{words} words");
}

/// The first cells of the table in the section `title`, without backquotes.
fn rows(title: &str) -> Vec<String> {
    rows_of(&readme(), title)
}

fn rows_of(text: &str, title: &str) -> Vec<String> {
    let section = text.split(&format!("# {title}\n")).nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| name"));
    rows.map(|row| {
        row.split('|')
            .nth(1)
            .unwrap()
            .trim()
            .trim_matches('`')
            .to_string()
    })
    .collect()
}

#[test]
fn games_and_searchers_are_listed() {
    let games: Vec<_> = treeline::games::ENTRIES
        .iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(rows("Games"), games);
    let searchers: Vec<_> = treeline::search::entries()
        .map(|entry| entry.name)
        .collect();
    let page = std::fs::read_to_string(root().join("docs/searchers.md")).unwrap();
    assert_eq!(rows_of(&page, "Searchers"), searchers);
}

#[test]
fn every_folder_is_on_the_map() {
    let root = root();
    let listed = rows("The map").join(" ");
    for folder in ["src", "."] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let skip = name.starts_with('.') || ["src", "target"].contains(&name.as_str());
            if entry.path().is_dir() && !skip {
                let row = match folder {
                    "src" => format!("src/{name}/"),
                    _ => format!("{name}/"),
                };
                assert!(listed.contains(&row), "{row} is not on the README's map");
            }
        }
    }
    for link in readme()
        .split("](")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap())
    {
        assert!(
            link.starts_with("http") || root.join(link).exists(),
            "README links to {link}"
        );
    }
}

#[test]
fn it_opens_with_the_two_commands() {
    let text = readme();
    let commands: Vec<&str> = text
        .split("```\n")
        .skip(1)
        .step_by(2)
        .take(2)
        .map(str::trim)
        .collect();
    assert_eq!(
        commands,
        [
            r"printf 'set_game breakthrough\ngenmove b\nshowboard\nquit\n' | cargo run --release",
            "cargo test --workspace",
        ]
    );
}
