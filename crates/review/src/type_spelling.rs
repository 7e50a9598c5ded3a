//! Spellings of one type: a change from one to another one is no change.

use model::Language;

use crate::nested_text::{bracketed, split_outside};

/// Generic types of Python with a second name in the module `typing`.
const SECOND_NAMES: [&str; 6] = ["List", "Dict", "Set", "FrozenSet", "Tuple", "Type"];

/// Returns true if two types as written, without white space, are spellings of one type.
pub(crate) fn is_same_type(language: Language, from: &str, to: &str) -> bool {
    from == to || language == Language::Python && canonical(from) == canonical(to)
}

/// Returns one spelling for all of a type of Python: without quotes and the module `typing`, with the alternatives of a union in order.
fn canonical(text: &str) -> String {
    let mut alternatives = alternatives(text);
    alternatives.sort_unstable();
    alternatives.dedup();
    alternatives.join("|")
}

fn alternatives(text: &str) -> Vec<String> {
    let parts = split_outside(without_quotes(text), '|');
    if parts.len() > 1 {
        return parts.into_iter().flat_map(alternatives).collect();
    }
    let name = parts.first().copied().unwrap_or_default();
    let name = without_quotes(name);
    let bare = name.strip_prefix("typing.").or_else(|| name.strip_prefix("t.")).unwrap_or(name);
    let generic = bare.find('[').and_then(|open| {
        let (inside, behind) = bracketed(&bare[open..])?;
        behind.is_empty().then_some((&bare[..open], inside))
    });
    match generic {
        // The texts are values.
        None | Some(("Literal" | "Annotated", _)) => vec![bare.to_owned()],
        Some(("Optional", inside)) => [alternatives(inside), vec!["None".to_owned()]].concat(),
        Some(("Union", inside)) => split_outside(inside, ',').into_iter().flat_map(alternatives).collect(),
        Some((head, inside)) => {
            let head = if SECOND_NAMES.contains(&head) { head.to_lowercase() } else { head.to_owned() };
            let arguments: Vec<String> = split_outside(inside, ',').into_iter().map(canonical).collect();
            vec![format!("{head}[{}]", arguments.join(","))]
        }
    }
}

/// Returns the inside of a text in quotes, which refers to a type that is declared later.
fn without_quotes(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote).filter(|inside| !inside.contains(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_python_are_compared() {
        use Language::{Python, TypeScript};
        for (language, from, to, expected) in [
            (Python, "\"Response\"", "Response", true),
            (Python, "t.Optional[\"Flask\"]", "Flask|None", true),
            (Python, "t.Union[str,bytes]", "bytes|str", true),
            (Python, "Union[str,Optional[int]]", "int|None|str", true),
            (Python, "typing.List[t.Dict[str,'A']]", "list[dict[str,A]]", true),
            (Python, "\"A|None\"", "Optional[A]", true),
            (Python, "Callable[[\"A\"],B]", "Callable[[A],B]", true),
            (Python, "Literal[\"a\"]", "Literal[a]", false),
            (Python, "Optional[A]", "A", false),
            (Python, "list[A]", "list[B]", false),
            (Python, "A[B].C", "A[B]", false),
            (Python, "t", "typing", false),
            (Python, "", "A", false),
            (TypeScript, "'a'", "a", false),
            (TypeScript, "a|b", "b|a", false),
        ] {
            assert_eq!(is_same_type(language, from, to), expected, "{from} {to}");
        }
    }
}
