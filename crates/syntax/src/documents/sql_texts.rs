//! SQL in texts of code: the tables that statements use and create.

use super::tables::is_table;

/// Words before a table in SQL.
const CLAUSES: [&str; 6] = ["FROM ", "JOIN ", "INTO ", "UPDATE ", "DELETE FROM ", "TRUNCATE TABLE "];

/// Beginnings of statements, in the cases in which people write them.
pub(super) const STATEMENTS: [&str; 10] = [
    "SELECT ",
    "select ",
    "INSERT INTO ",
    "insert into ",
    "UPDATE ",
    "update ",
    "DELETE FROM ",
    "delete from ",
    "CREATE TABLE ",
    "create table ",
];

/// Returns the table that a line creates.
pub(super) fn created(line: &str) -> Option<String> {
    const CREATE: &str = "CREATE TABLE ";
    let upper = line.to_ascii_uppercase();
    let at = upper.find(CREATE)?;
    let rest = &line[at + CREATE.len()..];
    let has_condition = upper[at + CREATE.len()..].starts_with("IF NOT EXISTS ");
    let rest = if has_condition { &rest["IF NOT EXISTS ".len()..] } else { rest };
    let name = rest.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let name = name.replace(['"', '`', '[', ']', '\\'], "");
    is_table(&name).then_some(name)
}

/// Returns the tables in the SQL of a line. It is SQL if a text literal has a statement there or on the lines before.
pub(super) fn used<'t>(lines: &[&'t str], index: usize) -> Vec<&'t str> {
    let line = lines[index];
    const WORDS: [&str; 8] = ["FROM ", "from ", "JOIN ", "join ", "INTO ", "into ", "UPDATE ", "update "];
    if !WORDS.iter().any(|word| line.contains(word)) {
        return Vec::new();
    }
    let upper = line.to_ascii_uppercase();
    if upper.len() != line.len() || !CLAUSES.iter().any(|clause| upper.contains(clause)) {
        return Vec::new();
    }
    let is_statement = |line: &str| {
        let start = line.trim_start_matches(|c: char| !c.is_ascii_alphabetic() || c == ' ');
        let upper = line.to_ascii_uppercase();
        let words = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "MERGE INTO "];
        let has_text = line.contains(['"', '\'', '`']);
        words.iter().any(|word| {
            upper.find(word).is_some_and(|at| {
                has_text && line[..at].ends_with(['"', '\'', '`', '(', ' '])
                    || start.to_ascii_uppercase().starts_with(word)
            })
        })
    };
    let before = lines[index.saturating_sub(12)..=index].iter().any(|line| is_statement(line));
    if !before {
        return Vec::new();
    }
    let mut found: Vec<&str> = Vec::new();
    for clause in CLAUSES {
        for (at, _) in upper.match_indices(clause) {
            let is_word = !upper[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let rest = line[at + clause.len()..].trim_start().trim_start_matches(['"', '`', '[', '\\']);
            let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(rest.len());
            let table = &rest[..end];
            // `UPDATE x SET`: other texts have the word too.
            let is_update = clause != "UPDATE "
                || upper[at..].contains(" SET")
                || lines.get(index + 1).is_some_and(|next| next.to_ascii_uppercase().contains("SET "));
            if is_word && is_update && is_table(table) && !rest[end..].starts_with('(') && !found.contains(&table) {
                found.push(table);
            }
        }
    }
    found
}
