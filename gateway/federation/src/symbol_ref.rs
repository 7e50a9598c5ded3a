//! Symbol ids as people and models write them.

use model::{Language, LineSpan, SymbolKind, symbol::qualify};
use proto::v1;

/// Maximum number of splits of an id into path and name: each costs a call to every worker.
const MAX_PATH_SEGMENTS: usize = 6;

/// One reading of a symbol id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolRefReading {
    /// A definition by its name.
    Lookup {
        /// A path, or the end of one; empty for any file.
        path: String,
        /// Container and name joined by dots, or the end of that path.
        qualified: String,
        /// 0 for any.
        ordinal: u32,
        /// Unset for any.
        kind: Option<SymbolKind>,
    },
    /// `path:10-60`.
    Lines {
        /// A path, or the end of one; never empty.
        path: String,
        /// A single line has equal ends.
        lines: LineSpan,
    },
}

/// Returns the readings of an id, the likeliest first.
///
/// `path::Type.method`, `path::Type::method`, `path::name#2`, a trailing `::kind`, `path:10-60`, `Type.method` and a
/// bare name are accepted. Only a lookup tells whether `head::name` begins with a path or with a type, and where a path that
/// contains `::` ends.
pub fn readings(id: &str) -> Vec<SymbolRefReading> {
    let id = id.trim();
    if let Some(lines) = lines(id) {
        return vec![lines];
    }
    let segments: Vec<&str> = id.split("::").filter(|segment| !segment.is_empty()).collect();
    let Some((last, before)) = segments.split_last() else { return Vec::new() };
    let mut readings = Vec::new();
    if let Some(kind) = SymbolKind::parse(last).filter(|_| !before.is_empty()) {
        readings.extend(of_segments(before, Some(kind)));
    }
    readings.extend(of_segments(&segments, None));
    readings
}

fn of_segments(segments: &[&str], kind: Option<SymbolKind>) -> Vec<SymbolRefReading> {
    let lookup = |path: &str, names: &[&str]| {
        let (qualified, ordinal) = split_ordinal(&names.join("."));
        SymbolRefReading::Lookup { path: path.to_owned(), qualified, ordinal, kind }
    };
    let in_any_file = lookup("", segments);
    let [head, names @ ..] = segments else { return Vec::new() };
    if names.is_empty() {
        return vec![in_any_file];
    }
    let in_file = |n_of_path: &usize| {
        let path = segments[..*n_of_path].join("::");
        lookup(path.trim_start_matches("./"), &segments[*n_of_path..])
    };
    let has_extension = |n_of_path: &usize| Language::of_path(segments[n_of_path - 1]) != Language::Text;
    let splits = 1..segments.len().min(MAX_PATH_SEGMENTS + 1);
    let (likely, others): (Vec<usize>, Vec<usize>) = splits.partition(has_extension);
    let starts_as_path = head.contains('/') || has_extension(&1);
    let mut readings: Vec<SymbolRefReading> = likely.iter().map(in_file).collect();
    readings.extend((!starts_as_path).then_some(in_any_file));
    readings.extend(others.iter().map(in_file));
    readings
}

fn split_ordinal(qualified: &str) -> (String, u32) {
    let parsed = qualified.rsplit_once('#').and_then(|(name, digits)| Some((name, digits.parse::<u32>().ok()?)));
    match parsed {
        Some((name, ordinal)) if !name.is_empty() && ordinal > 0 => (name.to_owned(), ordinal),
        _ => (qualified.to_owned(), 0),
    }
}

/// Reads `path:10-60`, `path:10` and `path:L10-L60`.
fn lines(id: &str) -> Option<SymbolRefReading> {
    let (path, range) = id.rsplit_once(':')?;
    let number = |digits: &str| digits.trim_start_matches(['L', 'l']).parse::<u32>().ok();
    let (start, end) = match range.split_once('-') {
        Some((start, end)) => (number(start)?, number(end)?),
        None => (number(range)?, number(range)?),
    };
    let path = path.strip_suffix(':').unwrap_or(path).trim_start_matches("./");
    let lines = LineSpan { start: start.min(end).max(1), end: end.max(start).max(1) };
    (!path.is_empty()).then(|| SymbolRefReading::Lines { path: path.to_owned(), lines })
}

/// Returns the id of a definition within its repository.
pub fn id(path: &str, symbol: &v1::Symbol) -> String {
    let id = model::SymbolId {
        path: path.to_owned(),
        qualified: qualify(&symbol.container, &symbol.name),
        ordinal: symbol.ordinal,
    };
    text::sanitise_name(&id.to_string()).into_owned()
}

/// Returns the id of a definition in the federation.
pub fn full_id(alias: &str, path: &str, symbol: &v1::Symbol) -> String {
    format!("{alias}//{}", id(path, symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(id: &str, expected: &[&str]) {
        let lines: Vec<String> = readings(id)
            .into_iter()
            .map(|reading| match reading {
                SymbolRefReading::Lookup { path, qualified, ordinal, kind } => {
                    format!("{path}|{qualified}|{ordinal}|{}", kind.map_or("", SymbolKind::name))
                }
                SymbolRefReading::Lines { path, lines } => format!("{path}:{}-{}", lines.start, lines.end),
            })
            .collect();
        assert_eq!(lines, expected, "{id}");
    }

    #[test]
    fn ids_are_read_as_people_write_them() {
        check("a/b.py::Flask.run", &["a/b.py|Flask.run|0|"]);
        check("./b.rs::Type::method#2", &["b.rs|Type.method|2|", "b.rs::Type|method|2|"]);
        check("a/b.py::run::function", &["a/b.py|run|0|function", "a/b.py|run.function|0|", "a/b.py::run|function|0|"]);
        check("dd::name.py::f", &["dd::name.py|f|0|", "|dd.name.py.f|0|", "dd|name.py.f|0|"]);
        check("a/dd::name::f", &["a/dd|name.f|0|", "a/dd::name|f|0|"]);
        assert_eq!(readings(&"a::".repeat(1_000)).len(), MAX_PATH_SEGMENTS + 1);
        check("Flask.run", &["|Flask.run|0|"]);
        check("Flask", &["|Flask|0|"]);
        check("serde::from_str", &["|serde.from_str|0|", "serde|from_str|0|"]);
        check("Makefile::all", &["|Makefile.all|0|", "Makefile|all|0|"]);
        check("operator#", &["|operator#|0|"]);
        check("", &[]);
        check("::", &[]);
    }

    #[test]
    fn lines_are_read_in_every_notation() {
        check("a/b.py:10-60", &["a/b.py:10-60"]);
        check("a/b.py:L10-L60", &["a/b.py:10-60"]);
        check("a/b.py:60-10", &["a/b.py:10-60"]);
        check("a/b.py:7", &["a/b.py:7-7"]);
        check("a/b.py:0", &["a/b.py:1-1"]);
    }
}
