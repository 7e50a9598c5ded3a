//! Variables that code reads from its environment, by the notations of each language.

use model::{DocumentFormat, Language};

use super::{builder::DraftDocument, marks::Marks};

/// Notations with the name right after them, in any language that has them: `os.Getenv("NAME"`, `process.env.NAME`.
const NOTATIONS: [&str; 28] = [
    "os.Getenv(",
    "os.LookupEnv(",
    "syscall.Getenv(",
    "os.getenv(",
    "os.environ.get(",
    "os.environ[",
    "environ.get(",
    "environ[",
    "process.env.",
    "process.env[",
    "import.meta.env.",
    "Deno.env.get(",
    "Bun.env.",
    "System.getenv(",
    "System.getenv()[",
    "System.getProperty(",
    "GetEnvironmentVariable(",
    "ENV[",
    "ENV.fetch(",
    "getenv(",
    "$_ENV[",
    "$_SERVER[",
    "env::var(",
    "env::var_os(",
    "std::getenv(",
    "System.get_env(",
    "System.fetch_env!(",
    "Platform.environment[",
];

/// Notations of settings of an application, whose names are in lower case: `@Value("${cart.url}")`, `Configuration["Cart:Url"]`.
const SETTINGS: [&str; 14] = [
    "@Value(\"${",
    "@Value('${",
    "@Value(\"#{'${",
    "@ConfigProperty(name = ",
    "@ConfigProperty(name=",
    "getProperty(",
    "Configuration[",
    "configuration[",
    "Configuration.GetValue<string>(",
    "configuration.GetValue<string>(",
    "Configuration.GetConnectionString(",
    "configuration.GetConnectionString(",
    "viper.GetString(",
    "sys.env(",
];

/// Parts of the names of functions that read the environment.
const READERS: [&str; 3] = ["env", "Env", "ENV"];

/// Maximum number of variables of one file.
const MAX_VARIABLES: usize = 500;

/// Maximum number of characters between a variable and its default.
const MAX_DEFAULT_DISTANCE: usize = 40;

/// Returns everything by which a file that reads variables is known.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    NOTATIONS.iter().chain(&SETTINGS).chain(&READERS).copied()
}

/// Reads the variables of a file of code.
pub(super) fn read(language: Language, text: &str, marks: &Marks) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Variables);
    let present: Vec<&str> =
        NOTATIONS.iter().chain(&SETTINGS).copied().filter(|notation| marks.has(notation)).collect();
    let has_readers = marks.has_any(&READERS);
    if present.is_empty() && !has_readers && language != Language::Bash {
        return document;
    }
    let mut n_found = 0;
    for (line, content) in (1..).zip(text.lines()) {
        if n_found >= MAX_VARIABLES {
            break;
        }
        if content.len() > 2_000 || is_comment(content.trim_start()) {
            continue;
        }
        for (name, default) in variables(language, content, &present) {
            n_found += 1;
            document.add(None, name, default, line);
        }
    }
    document
}

/// Returns the variable that an expression reads, with its default or an empty text.
pub(super) fn variable(expression: &str) -> Option<(&str, &str)> {
    let present: Vec<&str> = NOTATIONS.iter().chain(&SETTINGS).copied().collect();
    variables(Language::Text, expression, &present).into_iter().next()
}

/// Returns the variables that a line reads in some notations, each with its default or an empty text.
fn variables<'t>(language: Language, line: &'t str, notations: &[&str]) -> Vec<(&'t str, &'t str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    if language == Language::Bash {
        return shell_variables(line);
    }
    for notation in notations {
        for (at, _) in line.match_indices(notation) {
            let rest = &line[at + notation.len()..];
            let is_setting = SETTINGS.contains(notation);
            if let Some((name, after)) = leading_name(rest, is_setting)
                && !found.iter().any(|(known, _)| *known == name)
            {
                found.push((name, default_after(after)));
            }
        }
    }
    // A function of the project that reads the environment: `mustMapEnv(&x, "CART_ADDR")`, `env.str("CART_ADDR")`.
    let may_read = found.is_empty() && line.contains('_') && READERS.iter().any(|part| line.contains(part));
    if may_read && calls_reader(line) {
        let texts = line.split(['"', '\'']).skip(1).step_by(2);
        let name = texts.into_iter().find(|text| is_variable(text));
        found.extend(name.map(|name| (name, default_after(line.split_once(name).map_or("", |(_, after)| after)))));
    }
    found
}

/// Returns the name at the start of a text, with or without quotes, and the text after it.
fn leading_name(rest: &str, is_setting: bool) -> Option<(&str, &str)> {
    let rest = rest.trim_start().trim_start_matches(['"', '\'', '`']);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || is_setting && matches!(c, '.' | '-' | ':');
    let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    // `${cart.url:default}` has its default after the name.
    let name = match is_setting {
        true => rest[..end].split_once(":http").map_or(&rest[..end], |(name, _)| name).trim_end_matches(':'),
        false => &rest[..end],
    };
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts && name.len() > 1 && name.len() <= 100).then(|| (name, &rest[name.len()..]))
}

/// Returns the text literal that follows a variable closely: its default.
fn default_after(after: &str) -> &str {
    if let Some(value) = after.strip_prefix(':').and_then(|rest| rest.split('}').next()) {
        return value;
    }
    let after = after.trim_start_matches(['"', '\'', '`', ']', ')', '}', '?', ' ', '!']);
    let Some(start) = after.find(['"', '\'', '`']).filter(|at| *at <= MAX_DEFAULT_DISTANCE) else { return "" };
    let quote = &after[start..=start];
    let between = &after[..start];
    let is_default = between.starts_with([',', '|', '?'])
        || between.contains("or ")
        || between.contains("unwrap_or")
        || between.contains("else")
        || between.starts_with(".get")
        || between.contains("?:")
        || between.contains("||");
    let text = &after[start + 1..];
    if is_default { text.split(quote).next().unwrap_or_default() } else { "" }
}

/// Returns true if a line calls a function whose name mentions the environment.
fn calls_reader(line: &str) -> bool {
    line.match_indices('(').any(|(at, _)| {
        let name: String = line[..at]
            .chars()
            .rev()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        let lower = name.to_ascii_lowercase();
        lower.ends_with("env")
            || lower.starts_with("env")
            || lower.contains("env.")
            || lower.contains("fromenv")
            || lower.contains("getenv")
            || lower.contains("_env")
            || name.contains("Env")
    })
}

/// Returns true for a name in capitals with an underscore.
fn is_variable(text: &str) -> bool {
    text.len() > 3
        && text.contains('_')
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Returns the variables of a line of shell: `${NAME:-default}`, `$NAME`.
fn shell_variables(line: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices('$') {
        let rest = line[at + 1..].trim_start_matches('{');
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..end];
        if is_variable(name) {
            let default = rest[end..].strip_prefix(":-").and_then(|rest| rest.split('}').next()).unwrap_or_default();
            found.push((name, default));
        }
    }
    found
}

fn is_comment(line: &str) -> bool {
    line.starts_with("//")
        || line.starts_with("* ")
        || line.starts_with("/*")
        || line.starts_with('#') && !line.starts_with("#[")
}
