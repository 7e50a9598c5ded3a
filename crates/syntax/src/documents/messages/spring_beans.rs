//! Queues and exchanges that a binding of Spring names by beans: `BindingBuilder.bind(orders()).to(shop()).with("order.*")`.

use super::values;

/// Maximum number of lines of a binding before its routing key.
const MAX_LINES_BEFORE: usize = 4;

/// Maximum number of lines of the method of a bean up to the name of its queue or exchange.
const MAX_LINES_OF_BEAN: usize = 4;

/// Maximum number of lines that are searched for a bean.
const MAX_SEARCHED_LINES: usize = 2_000;

/// Maximum length of the line of a bean.
const MAX_LINE_BYTES: usize = 300;

/// Calls that make a queue or an exchange of a name.
const QUEUES: [&str; 4] = ["new Queue(", "QueueBuilder.durable(", "QueueBuilder.nonDurable(", "Queue("];
const EXCHANGES: [&str; 2] = ["Exchange(", "Exchange(name = "];

/// Returns the names of the queue and of the exchange of the binding whose routing key begins at a place of a line.
pub(super) fn binding(lines: &[&str], index: usize, end: usize) -> Option<(String, Option<String>)> {
    let before = &lines[index.saturating_sub(MAX_LINES_BEFORE)..index];
    let statement: Vec<&str> = before.iter().map(|line| line.trim()).chain([lines[index][..end].trim()]).collect();
    let statement = statement.concat();
    let (_, bound) = statement.rsplit_once("bind(")?;
    let queue = bean_of(lines, bound, "Queue", &QUEUES)?;
    let exchange = bound.split_once(".to(").and_then(|(_, bound)| bean_of(lines, bound, "Exchange", &EXCHANGES));
    Some((queue, exchange.map(|exchange| exchange.split('|').next().unwrap_or_default().to_owned())))
}

/// Returns the name that the method of a bean gives to its queue or exchange: `orders` of `orders())`. A parameter may be the only bean of
/// the type.
fn bean_of(lines: &[&str], bound: &str, of_type: &str, makers: &[&str]) -> Option<String> {
    let end = bound.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(bound.len());
    let (name, is_call) = (&bound[..end], bound[end..].starts_with('('));
    let mut found: Vec<(bool, Option<String>)> = Vec::new();
    for (at, line) in lines.iter().enumerate().take(MAX_SEARCHED_LINES) {
        let Some(method) = method_name(line, of_type) else { continue };
        let last = lines.len().min(at + MAX_LINES_OF_BEAN);
        // The next bean has a name of its own.
        let end = (at + 1..last).find(|next| method_name(lines[*next], of_type).is_some()).unwrap_or(last);
        let made = (at..end).find_map(|inner| {
            let body = if inner == at { line.split_once(')').map_or("", |(_, body)| body) } else { lines[inner] };
            makers.iter().find_map(|maker| body.split_once(maker)).map(|(_, arguments)| (arguments, inner))
        });
        let value = made.and_then(|(arguments, inner)| values(arguments, lines, inner).into_iter().next());
        // A bean whose name cannot be read is one more of the type.
        found.push((method == name, value));
    }
    let is_only = found.len() == 1 && !is_call;
    found.into_iter().find(|(is_named, _)| *is_named || is_only).and_then(|(_, made)| made)
}

/// Returns the name of the method that a line declares with a result of a type: `orders` of `public Queue orders() {`, and of
/// `fun orders(): Queue` in Kotlin.
fn method_name<'t>(line: &'t str, of_type: &str) -> Option<&'t str> {
    let (head, rest) = line.split_once('(').filter(|_| line.len() <= MAX_LINE_BYTES)?;
    let mut words = head.split_whitespace().rev();
    let name = words.next().filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))?;
    let before = words.next()?;
    let is_of_kotlin = before == "fun"
        && rest.split_once("):").is_some_and(|(_, result)| {
            result.trim_start().split([' ', '=', '{']).next().is_some_and(|written| written.ends_with(of_type))
        });
    (before.ends_with(of_type) && before.starts_with(char::is_uppercase) || is_of_kotlin).then_some(name)
}
