//! A use of a changed definition as it stands after the change.

use proto::v1;

use super::called_names;

/// A use as it stands after the change: its lines, and the calls and imports of its file.
pub(super) struct CurrentUse<'a> {
    pub(super) lines: Vec<u32>,
    /// True if the change wrote the lines.
    pub(super) is_rewritten: bool,
    /// True if the change edits the file.
    pub(super) is_changed_file: bool,
    pub(super) calls: &'a [v1::CallSite],
    pub(super) imports: &'a [v1::ImportedName],
    pub(super) definitions: &'a [v1::Symbol],
}

impl CurrentUse<'_> {
    /// Returns true if a line imports the changed name and does not call it.
    pub(super) fn is_import(&self, symbol: &v1::Symbol, line: u32) -> bool {
        let names = called_names(symbol);
        self.imports.iter().any(|import| import.line == line && names.contains(&import.name.as_str()))
            && !self.has_call(symbol, line)
    }

    /// Returns true if a line imports the changed name for others, too.
    pub(super) fn is_reexport(&self, symbol: &v1::Symbol, line: u32) -> bool {
        let names = called_names(symbol);
        let is_of_name = |import: &&v1::ImportedName| import.line == line && names.contains(&import.name.as_str());
        self.imports.iter().filter(is_of_name).any(|import| import.reexport)
    }

    /// Returns true if a line calls the changed name.
    pub(super) fn has_call(&self, symbol: &v1::Symbol, line: u32) -> bool {
        let names = called_names(symbol);
        self.calls.iter().any(|call| call.line == line && names.contains(&call.name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_import_a_name_do_not_call_it() {
        let import = |name: &str, line| v1::ImportedName { name: name.to_owned(), line, ..Default::default() };
        let call = |name: &str, line| v1::CallSite { name: name.to_owned(), line, ..Default::default() };
        let (imports, calls) = ([import("parse", 1), import("parse", 2), import("Size", 3)], [call("parse", 2)]);
        let current = CurrentUse {
            lines: Vec::new(),
            is_rewritten: false,
            is_changed_file: false,
            calls: &calls,
            imports: &imports,
            definitions: &[],
        };
        for (kind, container, name, line, expected) in [
            ("function", "", "parse", 1, true),
            ("function", "", "parse", 2, false),
            ("function", "", "other", 1, false),
            ("function", "", "parse", 4, false),
            ("constructor", "Size", "constructor", 3, true),
            ("method", "Size", "grow", 3, false),
        ] {
            let (kind, container, name) = (kind.to_owned(), container.to_owned(), name.to_owned());
            let symbol = v1::Symbol { kind, container, name, ..Default::default() };
            assert_eq!(current.is_import(&symbol, line), expected, "{symbol:?} {line}");
        }
    }

    #[test]
    fn names_may_be_exported_again_beyond_their_visibility() {
        let imports = [
            v1::ImportedName { name: "parse".to_owned(), line: 1, reexport: true, ..Default::default() },
            v1::ImportedName { name: "parse".to_owned(), line: 2, ..Default::default() },
        ];
        let current = CurrentUse {
            lines: Vec::new(),
            is_rewritten: false,
            is_changed_file: false,
            calls: &[],
            imports: &imports,
            definitions: &[],
        };
        for (name, line, expected) in
            [("parse", 1, true), ("parse", 2, false), ("parse", 3, false), ("other", 1, false)]
        {
            let (kind, name) = ("function".to_owned(), name.to_owned());
            let symbol = v1::Symbol { kind, name, ..Default::default() };
            assert_eq!(current.is_reexport(&symbol, line), expected, "{symbol:?} {line}");
        }
    }
}
