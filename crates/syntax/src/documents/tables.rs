//! Tables of databases in code: migrations that define them, models that declare them, and SQL in texts that uses them.

use model::DocumentFormat;

use super::{
    builder::DraftDocument,
    marks::Marks,
    sql_texts::{STATEMENTS, created, used},
    table_models,
};

/// Notations of migrations, with the name of the table after them, on the same line or the next one.
const MIGRATIONS: [&str; 11] = [
    "CreateTable(name: ",
    "migrationBuilder.CreateTable(",
    "op.create_table(",
    "create_table ",
    "create_table(",
    ".createTable(",
    "Schema::create(",
    "create table(",
    "new Table({ name: ",
    "new Table({",
    "<createTable ",
];

/// Notations of models, with the name of the table after them.
const MODELS: [&str; 27] = [
    "__tablename__ = ",
    "db_table = ",
    "db_table=",
    "@Table(name = ",
    "@Table(name=",
    "@Table(\"",
    // Its name follows the schema.
    "@Table(schema",
    "@TableName(\"",
    "@Entity({ name: ",
    "@Entity({name: ",
    "@Entity(\"",
    "@Entity('",
    "[Table(",
    ".ToTable(",
    "ORM\\Table(name: ",
    "ORM\\Table(name=",
    "protected $table = ",
    "self.table_name = ",
    "tableName: '",
    "tableName: \"",
    "schema \"",
    "pgTable(",
    "mysqlTable(",
    "sqliteTable(",
    ": Table(\"",
    "= Table(\"",
    "@@map(\"",
];

/// The start of a table of SQLAlchemy, whose name may be on the next line.
const TABLE_OF_METADATA: &str = "= Table(";

/// The method by which a model of GORM names its table.
const TABLE_NAME_METHOD: &str = "TableName() string";

/// Maximum number of tables of one file.
const MAX_TABLES: usize = 500;

/// Maximum number of lines of a file with SQL.
const MAX_SQL_LINES: usize = 20_000;

/// Returns everything by which a file with tables is known.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    MIGRATIONS
        .iter()
        .chain(&MODELS)
        .chain(&STATEMENTS)
        .copied()
        .chain(table_models::marks())
        .chain([TABLE_NAME_METHOD, TABLE_OF_METADATA])
}

/// Reads the tables of a file of code. The key of an entry is `define`, `model` or `use`, its value the table.
pub(super) fn read(text: &str, marks: &Marks) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Tables);
    let has_sql = marks.has_any(&STATEMENTS);
    let has_migrations = marks.has_any(&MIGRATIONS);
    let models = table_models::present(marks);
    let has_metadata = marks.has(TABLE_OF_METADATA);
    let has_models = marks.has_any(&MODELS) || marks.has(TABLE_NAME_METHOD) || has_metadata;
    if !has_sql && !has_migrations && !has_models && models.is_empty() {
        return document;
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut n_found = 0;
    for (index, line) in lines.iter().enumerate() {
        if line.len() > 2_000 || n_found >= MAX_TABLES || line.trim_start().starts_with("//") {
            continue;
        }
        let next = lines.get(index + 1).copied();
        let defined = || has_migrations.then(|| named(&MIGRATIONS, line, next)).flatten();
        let modelled = || {
            let modelled = has_models.then(|| model(line, next)).flatten();
            let of_metadata = || has_metadata.then(|| table_of_metadata(&lines[index..])).flatten().map(str::to_owned);
            modelled.or_else(of_metadata)
        };
        let found: Vec<(&str, String)> = if let Some(table) = defined() {
            vec![("define", with_schema_of_migration(table, &lines[index..]))]
        } else if let Some(table) = modelled() {
            vec![("model", table)]
        } else if let Some(table) = table_models::table(&models, &lines, index) {
            vec![("model", table)]
        } else if has_sql {
            let created = created(line).map(|table| ("define", table));
            let used = || used(&lines, index).into_iter().map(|table| ("use", table.to_owned())).collect();
            created.map_or_else(used, |created| vec![created])
        } else {
            Vec::new()
        };
        n_found += found.len();
        for (key, table) in &found {
            document.add(None, key, table, index as u32 + 1);
        }
    }
    document
}

/// Reads the tables of a file of SQL: those that it creates in a schema, since the definitions of its facts have no schema, and those that
/// its queries use.
pub(super) fn read_schema(text: &str) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Tables);
    let lines: Vec<&str> = text.lines().take(MAX_SQL_LINES).collect();
    let mut n_used = 0;
    for (index, line) in lines.iter().enumerate() {
        if document.is_full() {
            break;
        }
        let is_comment = line.trim_start().starts_with("--");
        if let Some(name) = created(line).filter(|name| name.contains('.')) {
            document.add(None, "define", &name, index as u32 + 1);
        } else if line.len() <= 2_000 && n_used < MAX_TABLES && !is_comment {
            for table in used(&lines, index) {
                n_used += 1;
                document.add(None, "use", table, index as u32 + 1);
            }
        }
    }
    document
}

/// Returns true for a text that is no code and has tables: a schema of Prisma, a change log of Liquibase, a mapper of MyBatis.
pub(super) fn is_of_tables(text: &str) -> bool {
    text.contains("<databaseChangeLog")
        || text.contains("<mapper namespace")
        || text.contains("datasource ") && text.contains("provider") && text.contains("model ")
}

/// Returns the table of a migration of Entity Framework with its schema, which is an argument on one of the next lines.
fn with_schema_of_migration(table: &str, lines: &[&str]) -> String {
    let is_of_framework = lines.first().is_some_and(|line| line.contains("CreateTable("));
    let near = lines.iter().take(3).filter(|_| is_of_framework && !table.contains('.'));
    let schema = near.filter_map(|line| option(line, "schema")).find(|schema| is_table(schema));
    schema.map_or_else(|| table.to_owned(), |schema| format!("{schema}.{table}"))
}

/// Returns the table that a model declares, with its schema if the same line has one.
fn model(line: &str, next: Option<&str>) -> Option<String> {
    if line.contains(TABLE_NAME_METHOD) {
        let value = line.split("return").nth(1).or_else(|| next?.trim().strip_prefix("return"))?;
        return quoted(value.trim()).map(str::to_owned);
    }
    // The schema may precede the name: `@Table(schema = "shop", name = "items")`.
    let behind_schema = || {
        let (_, arguments) = line.split_once("@Table(").filter(|(_, rest)| rest.trim_start().starts_with("schema"))?;
        option(arguments, "name").filter(|table| is_table(table))
    };
    let table = named(&MODELS, line, None).or_else(behind_schema)?;
    let (_, behind) = line.split_once(table)?;
    // `.ToTable("items", "shop")` has the schema as its second argument.
    let second = || {
        let rest = behind.trim_start_matches(['"', '\'']).trim_start().strip_prefix(',')?;
        quoted(rest.trim_start()).filter(|_| line.contains(".ToTable("))
    };
    let schema = option(line, "schema").or_else(second).filter(|schema| is_table(schema) && !table.contains('.'));
    Some(schema.map_or_else(|| table.to_owned(), |schema| format!("{schema}.{table}")))
}

/// Returns the text of an option: `shop` of `schema = "shop"`, `Schema: "shop"` and `schema: 'shop'`.
fn option<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let lower = text.to_ascii_lowercase();
    let places = lower.match_indices(name).map(|(at, _)| at);
    let mut values = places.filter_map(|at| {
        let is_word = !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let rest = text[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
        let value = rest.strip_prefix(['=', ':']).filter(|_| is_word)?.trim_start();
        value.starts_with(['"', '\'', '`']).then(|| quoted(value)).flatten()
    });
    values.next()
}

/// Returns the name of a table of SQLAlchemy on the line after its start. Other libraries have tables without columns of a database.
fn table_of_metadata<'t>(lines: &[&'t str]) -> Option<&'t str> {
    let (first, rest) = lines.split_first().filter(|(first, _)| first.trim_end().ends_with(TABLE_OF_METADATA))?;
    let is_of_database = rest.iter().take(3).any(|line| line.contains("etadata") || line.contains("MetaData"));
    let name = quoted(rest.first()?.trim())?;
    (is_of_database && !first.trim_start().starts_with('#') && is_table(name)).then_some(name)
}

/// Returns the table after a notation. A call may have it on the next line.
fn named<'t>(notations: &[&str], line: &'t str, next: Option<&'t str>) -> Option<&'t str> {
    notations.iter().find_map(|notation| {
        let at = line.find(notation)?;
        let is_start = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_word = !line[..at].ends_with(is_start) || !notation.starts_with(is_start);
        let rest = line[at + notation.len()..].trim_start();
        let rest = if rest.is_empty() { next?.trim() } else { rest };
        let rest = rest.split_once("tableName=").map_or(rest, |(_, rest)| rest);
        let rest = rest.trim_start_matches("name:").trim_start_matches("name =").trim_start();
        // The notation may end with the quote.
        let table = if notation.ends_with(['"', '\'']) { rest.split(['"', '\'']).next() } else { quoted(rest) };
        table.filter(|table| is_word && is_table(table))
    })
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

pub(super) fn is_table(text: &str) -> bool {
    const WORDS: [&str; 10] = ["select", "the", "set", "where", "values", "only", "lateral", "unnest", "dual", "this"];
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    text.len() > 1
        && text.len() <= 100
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_part)
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}
