//! Models whose table is not written: object-relational mappers derive it from the name of the class.

use super::marks::Marks;

/// A mapper, by what declares a model.
pub(super) struct Mapper {
    /// In a file with models.
    mark: &'static str,
    /// On the line of the model, before its name; empty if the class follows the mark.
    before: &'static str,
    /// On the line of the model, after its name.
    after: &'static str,
    naming: Naming,
}

/// The rule by which a mapper names the table of a class.
#[derive(Clone, Copy)]
enum Naming {
    /// `order_line` of `OrderLine`.
    Snake,
    /// `order_lines` of `OrderLine`.
    SnakePlural,
    /// `{app}_orderline` of `OrderLine`; the application is a part of the path.
    Application,
    /// The name of the property after the type.
    Property,
}

/// A new mapper is an entry of the table.
const MAPPERS: [Mapper; 10] = [
    Mapper { mark: "@Entity", before: "", after: "", naming: Naming::Snake },
    Mapper { mark: "DbSet<", before: "DbSet<", after: ">", naming: Naming::Property },
    Mapper { mark: "models.Model", before: "class ", after: "(models.Model)", naming: Naming::Application },
    Mapper { mark: "migrations.CreateModel", before: "", after: "", naming: Naming::Application },
    Mapper { mark: "ApplicationRecord", before: "class ", after: " < ApplicationRecord", naming: Naming::SnakePlural },
    Mapper {
        mark: "ActiveRecord::Base",
        before: "class ",
        after: " < ActiveRecord::Base",
        naming: Naming::SnakePlural,
    },
    Mapper { mark: "Database\\Eloquent", before: "class ", after: " extends Model", naming: Naming::SnakePlural },
    Mapper { mark: "gorm.Model", before: "type ", after: " struct", naming: Naming::SnakePlural },
    Mapper { mark: "sequelize.define(", before: "sequelize.define('", after: "'", naming: Naming::SnakePlural },
    Mapper { mark: "table! {", before: "", after: "", naming: Naming::Snake },
];

/// Maximum number of lines between the mark of a model and its class.
const MAX_LINES: usize = 8;

/// Returns everything by which a file with models is known.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    MAPPERS.iter().map(|mapper| mapper.mark)
}

/// Returns the mappers of a file.
pub(super) fn present(marks: &Marks) -> Vec<&'static Mapper> {
    MAPPERS.iter().filter(|mapper| marks.has(mapper.mark)).collect()
}

/// Returns the table of the model that a line declares, unless the lines after it name another one.
pub(super) fn table(mappers: &[&Mapper], lines: &[&str], index: usize) -> Option<String> {
    let line = lines[index];
    mappers.iter().find_map(|mapper| match mapper.mark {
        "@Entity" => entity(lines, index),
        "migrations.CreateModel" => {
            let name = line.contains(mapper.mark).then(|| following(lines, index, &["name='", "name=\""]))??;
            Some(format!("{{app}}_{}", name.to_ascii_lowercase()))
        }
        "table! {" => {
            let rest = line.split_once("table! {")?.1.trim();
            let rest = if rest.is_empty() { lines.get(index + 1)?.trim() } else { rest };
            word(rest).map(str::to_owned).filter(|_| rest.contains('('))
        }
        mark => {
            let (_, rest) = line.split_once(mapper.before)?;
            let class = word(rest)?;
            let after = rest[class.len()..].strip_prefix(mapper.after)?;
            let near = &lines[index..lines.len().min(index + MAX_LINES)];
            let is_model = mark != "gorm.Model" || near.iter().any(|line| line.trim() == mark);
            let is_named = near
                .iter()
                .any(|line| line.contains("$table =") || line.contains("db_table") || line.contains("table_name ="));
            let is_abstract = near.iter().any(|line| line.contains("abstract = True"));
            (is_model && !is_named && !is_abstract).then(|| mapper.naming.table(class, after)).flatten()
        }
    })
}

/// Returns the table of an entity without a name of its own.
fn entity(lines: &[&str], index: usize) -> Option<String> {
    let line = lines[index].trim();
    if !matches!(line, "@Entity" | "@Entity()") {
        return None;
    }
    let near = lines[index + 1..].iter().take(MAX_LINES).map(|line| line.trim());
    let mut before =
        lines[..index].iter().rev().take(4).map(|line| line.trim()).take_while(|line| line.starts_with('@'));
    let is_named =
        before.any(|line| line.starts_with("@Table(")) || near.clone().any(|line| line.starts_with("@Table("));
    let class = near.clone().find_map(|line| line.split_once("class ").and_then(|(_, rest)| word(rest)))?;
    (!is_named).then(|| snake(class))
}

fn following<'t>(lines: &[&'t str], index: usize, starts: &[&str]) -> Option<&'t str> {
    let near = lines[index..].iter().take(3);
    near.flat_map(|line| starts.iter().filter_map(move |start| line.split_once(start))).find_map(|(_, rest)| word(rest))
}

impl Naming {
    fn table(self, class: &str, after: &str) -> Option<String> {
        match self {
            Naming::Snake => Some(snake(class)),
            Naming::SnakePlural => Some(plural(&snake(class))),
            Naming::Application => Some(format!("{{app}}_{}", class.to_ascii_lowercase())),
            Naming::Property => word(after.trim_start()).map(str::to_owned),
        }
    }
}

/// Returns the identifier at the start of a text.
fn word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    Some(&text[..end]).filter(|word| !word.is_empty())
}

fn snake(class: &str) -> String {
    let mut snake = String::new();
    for c in class.chars() {
        if c.is_ascii_uppercase()
            && snake.ends_with(|before: char| before.is_ascii_lowercase() || before.is_ascii_digit())
        {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// Returns the English plural of a word.
fn plural(word: &str) -> String {
    let is_vowel = |c: char| "aeiou".contains(c);
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(is_vowel) => format!("{stem}ies"),
        _ if word.ends_with('s') && !word.ends_with("ss") => word.to_owned(),
        _ if word.ends_with(['s', 'x', 'z']) || word.ends_with("ch") || word.ends_with("sh") => format!("{word}es"),
        _ => format!("{word}s"),
    }
}
