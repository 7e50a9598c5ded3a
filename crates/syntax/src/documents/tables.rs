//! Tables of databases in code: models and migrations that define them, and SQL in texts that uses them.

use model::DocumentFormat;

use super::{builder::DraftDocument, marks::Marks};

/// Notations of models and migrations, with the name of the table after them.
const DEFINITIONS: [&str; 20] = [
    "__tablename__ = ",
    "db_table = ",
    "db_table=",
    "@Table(name = ",
    "@Table(name=",
    "@Entity({ name: ",
    "@Entity(\"",
    "@Entity('",
    "[Table(",
    ".ToTable(",
    "CreateTable(name: ",
    "op.create_table(",
    "create_table ",
    "create_table(",
    ".createTable(",
    "Schema::create(",
    "protected $table = ",
    "schema \"",
    "sequelize.define(",
    "pgTable(",
];

/// Words before a table in SQL.
const CLAUSES: [&str; 6] = ["FROM ", "JOIN ", "INTO ", "UPDATE ", "DELETE FROM ", "TRUNCATE TABLE "];

/// The method by which a model of GORM names its table.
const TABLE_NAME_METHOD: &str = "TableName() string";

/// Beginnings of statements, in the cases in which people write them.
const STATEMENTS: [&str; 8] =
    ["SELECT ", "select ", "INSERT INTO ", "insert into ", "UPDATE ", "update ", "DELETE FROM ", "delete from "];

/// Maximum number of tables of one file.
const MAX_TABLES: usize = 500;

/// Returns everything by which a file with tables is known.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    DEFINITIONS.iter().chain(&STATEMENTS).copied().chain([TABLE_NAME_METHOD])
}

/// Reads the tables of a file of code. The key of an entry is `define` or `use`, its value the table.
pub(super) fn read(text: &str, marks: &Marks) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Tables);
    let has_sql = marks.has_any(&STATEMENTS);
    let has_models = marks.has_any(&DEFINITIONS) || marks.has(TABLE_NAME_METHOD);
    if !has_sql && !has_models {
        return document;
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut n_found = 0;
    for (index, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if line.len() > 2_000 || n_found >= MAX_TABLES || trimmed.starts_with("//") {
            continue;
        }
        let defined = if has_models { definition(line, lines.get(index + 1).copied()) } else { None };
        if let Some(table) = defined {
            n_found += 1;
            document.add(None, "define", table, index as u32 + 1);
        } else if has_sql {
            for table in used(&lines, index) {
                n_found += 1;
                document.add(None, "use", table, index as u32 + 1);
            }
        }
    }
    document
}

/// Reads the tables that a file of SQL creates in a schema. The definitions of its facts have no schema.
pub(super) fn read_schema(text: &str) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Tables);
    for (line, content) in (1..).zip(text.lines()).take_while(|(line, _)| *line < 20_000) {
        let upper = content.to_ascii_uppercase();
        let Some(at) = upper.find("CREATE TABLE ") else { continue };
        let rest = &content[at + "CREATE TABLE ".len()..];
        let rest =
            rest.get("IF NOT EXISTS ".len()..).filter(|_| upper[at..].contains("IF NOT EXISTS ")).unwrap_or(rest);
        let name = rest
            .split(|c: char| c.is_whitespace() || c == '(')
            .next()
            .unwrap_or_default()
            .replace(['"', '`', '[', ']'], "");
        if name.contains('.') && is_table(&name) && !document.is_full() {
            document.add(None, "define", &name, line);
        }
    }
    document
}

/// Returns the table that a model or a migration defines.
fn definition<'t>(line: &'t str, next: Option<&'t str>) -> Option<&'t str> {
    if line.contains(TABLE_NAME_METHOD) {
        let value = line.split("return").nth(1).or_else(|| next?.trim().strip_prefix("return"))?;
        return quoted(value.trim());
    }
    DEFINITIONS.iter().find_map(|notation| {
        let at = line.find(notation)?;
        let is_word = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') || notation.starts_with('.');
        let rest = line[at + notation.len()..].trim_start();
        // The notation may end with the quote.
        let table = if notation.ends_with(['"', '\'']) { rest.split(['"', '\'']).next() } else { quoted(rest) };
        table.filter(|table| is_word && is_table(table))
    })
}

/// Returns the tables in the SQL of a line. It is SQL if a text literal has a statement there or on the lines before.
fn used<'t>(lines: &[&'t str], index: usize) -> Vec<&'t str> {
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

/// Returns the text in quotes, or the symbol, at the start of a text.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['(', ' ']);
    if let Some(symbol) = text.strip_prefix(':') {
        return symbol.split(|c: char| !c.is_alphanumeric() && c != '_').next();
    }
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    text[1..].split(quote).next()
}

fn is_table(text: &str) -> bool {
    const WORDS: [&str; 10] = ["select", "the", "set", "where", "values", "only", "lateral", "unnest", "dual", "this"];
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    text.len() > 1
        && text.len() <= 100
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_part)
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}
