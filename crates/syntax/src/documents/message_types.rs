//! The types of messages: of the values in the arguments of a call, and of their variables.

use super::messages::MAX_LINE_BYTES;

/// Maximum number of lines before a message in which its variable is declared.
const MAX_DECLARATION_LINES: usize = 80;

/// Maximum number of lines of a statement that chooses between messages.
const MAX_STATEMENT_LINES: usize = 8;

/// Maximum length of such a statement.
const MAX_STATEMENT_BYTES: usize = 2 * MAX_LINE_BYTES;

/// Maximum number of assignments to a variable in one line.
const MAX_ASSIGNMENTS: usize = 4;

/// Methods of a type that make an instance of it.
const FACTORIES: [&str; 6] = ["of", "create", "from", "new", "newBuilder", "builder"];

/// Ends of the names of types whose methods make values of other types.
const FACTORY_TYPES: [&str; 4] = ["Factory", "Builder", "Mapper", "Converter"];

/// Returns the types of a message among arguments: that of `new OrderPaid(…)`, or those that the lines before give to a variable.
pub(super) fn message_types(arguments: &[&str], lines: &[&str], index: usize) -> Vec<String> {
    let of_arguments = arguments.iter().take(3).map(|argument| {
        let argument = argument.trim();
        // A closure of a saga makes the message: `Publish(context => new OrderPaid(…))`.
        let created = argument.strip_prefix("new ").or_else(|| argument.split_once("=> new ").map(|(_, made)| made));
        if let Some(created) = created {
            return type_name(created).into_iter().collect();
        }
        // `OrderPaid(…)` constructs a message in Kotlin and Python.
        let is_constructor = argument.contains('(') && !is_of_factory(argument);
        let made = factory_type(argument).or_else(|| type_name(argument).filter(|_| is_constructor));
        match made {
            Some(made) => vec![made],
            None => types_of_variable(argument, lines, index),
        }
    });
    of_arguments.into_iter().find(|types: &Vec<String>| !types.is_empty()).unwrap_or_default()
}

/// Returns the types that the lines before a message give to its variable, back to its declaration.
fn types_of_variable(argument: &str, lines: &[&str], index: usize) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name = argument.trim_start_matches('@');
    let mut types: Vec<String> = Vec::new();
    if name.is_empty() || !name.chars().all(is_part) {
        return types;
    }
    for at in (index.saturating_sub(MAX_DECLARATION_LINES)..=index).rev() {
        if lines[at].len() > MAX_LINE_BYTES {
            continue;
        }
        let declared = declared_type(lines[at], name).filter(|one| !one.ends_with("Exception"));
        let created = created_types(lines, at, name);
        let given: Vec<String> = if created.len() > 1 { created } else { declared.into_iter().collect() };
        if given.is_empty() {
            continue;
        }
        types.extend(given.into_iter().filter(|one| !types.contains(one)).collect::<Vec<_>>());
        let is_assignment = lines[at].trim_start().strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_part));
        if !is_assignment {
            break;
        }
    }
    // The declaration of a variable may have a base type alone.
    let is_base = |one: &String| types.iter().any(|other| other != one && other.ends_with(one.as_str()));
    types.iter().filter(|one| !is_base(one)).cloned().collect()
}

/// Returns the types that the values of a variable may have, which a line assigns: both of `paid ? new OrderPaid() : new OrderFailed()`.
fn created_types(lines: &[&str], index: usize, name: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let assigned = lines[index].match_indices(name).filter_map(|(at, _)| {
        let after = lines[index][at + name.len()..].trim_start();
        let is_assigned = !lines[index][..at].ends_with(is_part) && after.starts_with('=') && !after.starts_with("==");
        is_assigned.then_some(after)
    });
    assigned.take(MAX_ASSIGNMENTS).flat_map(|value| chosen_types(value, &lines[index + 1..])).collect()
}

/// Returns the types between which a value chooses. One that is created within brackets is a part of the message.
fn chosen_types(value: &str, following: &[&str]) -> Vec<String> {
    let mut types = Vec::new();
    let (mut depth, mut before, mut before_brackets, mut quote) = (0_u32, ' ', ' ', None);
    let is_choice = |c: char| matches!(c, '=' | '?' | ':');
    let mut n_bytes = 0;
    for line in std::iter::once(&value).chain(following).take(MAX_STATEMENT_LINES) {
        // Without a semicolon, a statement goes on behind an operator and before one.
        let is_continued = depth > 0 || before == ' ' || is_choice(before);
        if !is_continued && !line.trim_start().starts_with(['?', ':']) {
            break;
        }
        n_bytes += line.len();
        if n_bytes > MAX_STATEMENT_BYTES {
            break;
        }
        for (at, c) in line.char_indices() {
            match c {
                _ if quote.is_some() => quote = quote.filter(|quote| *quote != c),
                '"' | '\'' | '`' => quote = Some(c),
                '(' | '[' | '{' => {
                    before_brackets = if depth == 0 { before } else { before_brackets };
                    depth += 1;
                }
                ')' | ']' | '}' if depth == 0 => return types,
                ')' | ']' | '}' => depth -= 1,
                ';' if depth == 0 => return types,
                // A cast may precede: `(Event)new OrderPaid()`.
                'n' if depth == 0 && (is_choice(before) || before == ')' && is_choice(before_brackets)) => {
                    types.extend(line[at..].strip_prefix("new ").and_then(type_name));
                }
                _ => {}
            }
            before = if c.is_whitespace() { before } else { c };
        }
        quote = None;
    }
    types
}

/// Returns the type that a line gives to a variable: `var e = new OrderPaid(…)`, `OrderPaid e`, `e = OrderPaid(…)`.
fn declared_type(line: &str, name: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).find_map(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        if before.ends_with(is_part) || after.starts_with(is_part) {
            return None;
        }
        if let Some(value) = after.trim_start().strip_prefix('=').filter(|rest| !rest.starts_with('=')) {
            let value = value.trim_start().trim_start_matches("await ");
            // `OrderPaid.format(x)` calls a function of a type.
            let called = value.split_once('(').map(|(called, _)| called).filter(|called| !called.contains('.'));
            let is_constructor = called.is_some_and(|called| called.starts_with(|c: char| c.is_ascii_uppercase()));
            let created = value.strip_prefix("new ").or_else(|| Some(value).filter(|_| is_constructor));
            return factory_type(value).or_else(|| created.and_then(type_name)).or_else(|| converted_type(value));
        }
        let written = before.trim_end().rsplit(|c: char| !is_part(c) && c != '.').next()?;
        type_name(written).filter(|_| before.ends_with(' '))
    })
}

/// Returns true for a call of an object that makes values of other types: `OrderFactory.CreateOrder(…)`.
fn is_of_factory(called: &str) -> bool {
    let class = called.split('(').next().and_then(|called| called.rsplit_once('.')).map_or("", |(class, _)| class);
    FACTORY_TYPES.iter().any(|end| class.ends_with(end))
}

/// Returns the type whose method makes a value: `OrderPaid` of `OrderPaid.Of(order)`.
fn factory_type(value: &str) -> Option<String> {
    let (class, name) = value.split('(').next().filter(|called| called.len() < value.len())?.rsplit_once('.')?;
    // `OrderPaid.FromOrder(order)` says what it is made of.
    let is_made_of = |one: &&str| {
        let (start, rest) = name.split_at_checked(one.len()).unwrap_or((name, ""));
        let is_source = matches!(*one, "of" | "from") && !rest.starts_with(|c: char| c.is_ascii_lowercase());
        start.eq_ignore_ascii_case(one) && (is_source || rest.is_empty() || rest.starts_with("From"))
    };
    let is_factory = FACTORIES.iter().any(is_made_of) && !is_of_factory(value);
    type_name(class).filter(|_| is_factory && class.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Returns the type that a value is converted to: `OrderPaid` of `order.Adapt<OrderPaid>()` and of `order.MapToOrderPaid()`.
fn converted_type(value: &str) -> Option<String> {
    if let Some((before, _)) = value.rsplit_once(">(") {
        return before.rsplit_once('<').and_then(|(_, name)| type_name(name));
    }
    let method = value.split('(').next()?.rsplit('.').next()?;
    ["MapTo", "To", "to"].iter().find_map(|prefix| method.strip_prefix(prefix)).and_then(type_name)
}

/// Returns the name of a type at the start of a text; it begins with a capital.
pub(super) fn type_name(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let whole = &text[..text.find(|c: char| !is_part(c)).unwrap_or(text.len())];
    let name = whole.rsplit('.').next()?;
    let is_type =
        name.len() > 3 && name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(char::is_lowercase);
    is_type.then(|| name.to_owned())
}
