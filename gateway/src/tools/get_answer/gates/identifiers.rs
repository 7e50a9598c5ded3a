//! Identifiers: an answer about a name should rest on something that has the name.

/// Returns the names that stand nowhere in what was retrieved. Of a name with a container the last part has to stand
/// there.
pub(in super::super) fn absent<'n>(names: &'n [String], retrieved: &str) -> Vec<&'n str> {
    names.iter().map(String::as_str).filter(|name| !holds(retrieved, last_part(name))).collect()
}

fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '>', '#']).find(|part| !part.is_empty()).unwrap_or(name)
}

/// Says whether a text holds a name as a whole, and not as a part of a longer one.
pub(super) fn holds(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_part);
        let after = text[at + name.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_to_stand_there_as_a_whole() {
        let retrieved = "impl Router { fn add_route(&self) } // see Tree.insert";
        for (name, is_there) in [
            ("Router", true),
            ("Router.add_route", true),
            ("app::Router::add_route", true),
            ("Tree.insert", true),
            ("route", false),
            ("Route", false),
            ("add_router", false),
        ] {
            assert_eq!(absent(&[name.to_owned()], retrieved).is_empty(), is_there, "{name}");
        }
    }
}
