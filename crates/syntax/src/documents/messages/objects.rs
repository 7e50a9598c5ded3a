//! Names of objects whose type is that of a client: `template` of `KafkaTemplate<String, Order> template`.

/// Minimum length of the part of a type's name by which it is known.
const MIN_TYPE_BYTES: usize = 6;

/// Maximum number of names of one type in one file.
const MAX_NAMES: usize = 8;

/// Returns the method of a notation with its dot: `.send` of `afkaTemplate.send`.
pub(super) fn method_of(notation: &str) -> &str {
    notation.find('.').map_or("", |at| &notation[at..])
}

/// Maximum number of bytes before a type in which its beginning and a name are searched. It bounds the work for a long line.
const MAX_DECLARATION_BYTES: usize = 200;

/// Returns the names of the objects of a text whose type ends with the object of a notation, except those that end with it themselves.
pub(super) fn names_of<'t>(text: &'t str, notation: &str) -> Vec<&'t str> {
    let mut found: Vec<&str> = Vec::new();
    let Some((object, _)) = notation.split_once('.').filter(|(object, _)| object.len() >= MIN_TYPE_BYTES) else {
        return found;
    };
    for (at, _) in text.match_indices(object) {
        if found.len() >= MAX_NAMES {
            break;
        }
        let earliest = at.saturating_sub(MAX_DECLARATION_BYTES);
        let window = &text[(earliest..at).find(|start| text.is_char_boundary(*start)).unwrap_or(at)..at];
        let before = window.trim_end_matches(is_of_name);
        let is_type = text[at - (window.len() - before.len())..].starts_with(|c: char| c.is_ascii_uppercase());
        let Some(name) = is_type.then(|| declared(before, &text[at + object.len()..])).flatten() else { continue };
        if !name.ends_with(object) && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Returns the name that is declared with a type between two texts: behind it as in Java, or before it as in Kotlin and Go.
fn declared<'t>(before: &'t str, after: &'t str) -> Option<&'t str> {
    let after = behind_type_arguments(after)?;
    if let Some(rest) = after.strip_prefix([' ', '\t']) {
        let name = &rest[..rest.len() - rest.trim_start_matches(is_of_name).len()];
        let end = rest[name.len()..].trim_start().chars().next().unwrap_or(' ');
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        if is_name && matches!(end, ';' | '=' | ',' | ')') {
            return Some(name);
        }
    }
    // `p *kafka.Producer` has a package.
    let before = before.trim_end_matches(|c: char| is_of_name(c) || c == '.');
    let is_pointer = before.ends_with('*');
    let head = before.trim_end_matches('*').trim_end();
    let head = match head.strip_suffix(':') {
        Some(head) => head,
        None if is_pointer => head,
        None => return None,
    };
    let name = &head[head.trim_end_matches(is_of_name).len()..];
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_').then_some(name)
}

/// Returns the text behind the arguments of a type; `None` if they do not end.
fn behind_type_arguments(text: &str) -> Option<&str> {
    if !text.starts_with('<') {
        return Some(text);
    }
    let mut depth = 0_u32;
    for (at, c) in text.char_indices().take(200) {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[at + 1..]);
        }
    }
    None
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_the_names_of_their_declarations() {
        for (text, expected) in [
            ("private final KafkaTemplate<String, Order> template;", &["template"][..]),
            ("A(KafkaTemplate<Long, List<Order>> sender, B b) {}", &["sender"]),
            ("class A(private val sender: KafkaTemplate<String, String>)", &["sender"]),
            ("KafkaTemplate<String, Order> kafkaTemplate;", &[]),
            ("import org.springframework.kafka.core.KafkaTemplate;", &[]),
            ("new KafkaTemplate<>(factory);", &[]),
            ("class A extends KafkaTemplate<String, Order> {", &[]),
            ("return kafkaTemplate;", &[]),
        ] {
            assert_eq!(names_of(text, "afkaTemplate.send"), expected, "{text}");
        }
        assert_eq!(names_of("func f(p *kafka.Producer) {", "roducer.Produce"), ["p"]);
        assert_eq!(names_of("func f(p *kafka.Producer) {", "oducer"), [""; 0]);
    }
}
