//! Global symbols: scheme, package and descriptors.

use scip::types::{self, descriptor::Suffix};

/// A symbol that is visible outside of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobalSymbol {
    /// The scheme, mostly the name of the indexer.
    pub scheme: String,
    /// The package manager; empty if it is not known.
    pub manager: String,
    /// The package; empty if it is not known.
    pub package: String,
    /// The version of the package; empty if it is not known.
    pub version: String,
    /// The namespaces, types and members that lead to the symbol, outermost first.
    pub descriptors: Vec<SymbolDescriptor>,
}

/// One step to a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolDescriptor {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: DescriptorKind,
    /// The text that tells methods of one name apart; mostly empty.
    pub disambiguator: String,
}

/// The kind of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DescriptorKind {
    /// A package, module or file.
    Namespace,
    /// A class, interface or other type.
    Type,
    /// A variable, field or constant.
    Term,
    /// A function or method.
    Method,
    /// A macro.
    Macro,
    /// Anything else: parameters, type parameters, parts of types without names.
    Other,
}

impl GlobalSymbol {
    /// Parses a symbol; `None` if it is local or malformed.
    ///
    /// The result is that of `scip::symbol::parse_symbol`, whose time is quadratic in the length of the symbol.
    pub fn parse(text: &str) -> Option<GlobalSymbol> {
        if scip::symbol::is_local_symbol(text) {
            return None;
        }
        let mut rest = text;
        let mut word = || {
            let (word, after) = escaped(rest, ' ')?;
            rest = after;
            Some(if word == "." { String::new() } else { word })
        };
        let (scheme, manager, package, version) = (word()?, word()?, word()?, word()?);
        // A scheme of one dot is a name.
        let scheme = if scheme.is_empty() && text.starts_with(". ") { ".".to_owned() } else { scheme };
        let mut descriptors = Vec::new();
        while !rest.is_empty() {
            let (descriptor, after) = descriptor(rest)?;
            descriptors.push(descriptor);
            rest = after;
        }
        Some(GlobalSymbol { scheme, manager, package, version, descriptors })
    }

    /// Returns the symbol as text.
    pub fn format(&self) -> String {
        let descriptor = |descriptor: &SymbolDescriptor| types::Descriptor {
            name: descriptor.name.clone(),
            suffix: suffix(descriptor.kind).into(),
            disambiguator: descriptor.disambiguator.clone(),
            ..Default::default()
        };
        let escape = |text: &str| text.replace(' ', "  ");
        let package = types::Package {
            manager: escape(&self.manager),
            name: escape(&self.package),
            version: escape(&self.version),
            ..Default::default()
        };
        scip::symbol::format_symbol(types::Symbol {
            scheme: escape(&self.scheme),
            package: Some(package).into(),
            descriptors: self.descriptors.iter().map(descriptor).collect(),
            ..Default::default()
        })
    }
}

fn suffix(kind: DescriptorKind) -> Suffix {
    match kind {
        DescriptorKind::Namespace => Suffix::Namespace,
        DescriptorKind::Type => Suffix::Type,
        DescriptorKind::Term => Suffix::Term,
        DescriptorKind::Method => Suffix::Method,
        DescriptorKind::Macro => Suffix::Macro,
        DescriptorKind::Other => Suffix::Meta,
    }
}

/// Reads text up to a delimiter, which stands twice where it is meant itself. Returns the text and what follows the delimiter.
fn escaped(text: &str, delimiter: char) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once(delimiter)?;
        word.push_str(before);
        match after.strip_prefix(delimiter) {
            Some(after) => {
                word.push(delimiter);
                rest = after;
            }
            // The delimiter of the last word has something behind it.
            None if after.is_empty() => return None,
            None => return Some((word, after)),
        }
    }
}

fn identifier(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('`') {
        return escaped(quoted, '`');
    }
    let is_simple = |c: char| c.is_alphabetic() || c.is_ascii_digit() || matches!(c, '-' | '+' | '$' | '_');
    let end = text.find(|c: char| !is_simple(c)).unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_owned(), &text[end..]))
}

fn descriptor(text: &str) -> Option<(SymbolDescriptor, &str)> {
    let plain = |name, kind| SymbolDescriptor { name, kind, disambiguator: String::new() };
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some(inner) = text.strip_prefix(open) {
            let (name, after) = identifier(inner)?;
            return Some((plain(name, DescriptorKind::Other), after.strip_prefix(close)?));
        }
    }
    let (name, after) = identifier(text)?;
    let mut chars = after.chars();
    let kind = match chars.next()? {
        '/' => DescriptorKind::Namespace,
        '#' => DescriptorKind::Type,
        '.' => DescriptorKind::Term,
        ':' => DescriptorKind::Other,
        '!' => DescriptorKind::Macro,
        '(' => {
            let inner = chars.as_str();
            let (disambiguator, after) =
                if inner.starts_with(')') { (String::new(), inner) } else { identifier(inner)? };
            let after = after.strip_prefix(").")?;
            return Some((SymbolDescriptor { name, kind: DescriptorKind::Method, disambiguator }, after));
        }
        _ => return None,
    };
    Some((plain(name, kind), chars.as_str()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a symbol as the crate `scip` parses it.
    fn reference(text: &str) -> Option<GlobalSymbol> {
        let parsed = scip::symbol::parse_symbol(text).ok().filter(|_| !scip::symbol::is_local_symbol(text))?;
        let package = parsed.package.into_option().unwrap_or_default();
        let kind = |suffix| match suffix {
            Suffix::Namespace => DescriptorKind::Namespace,
            Suffix::Type => DescriptorKind::Type,
            Suffix::Term => DescriptorKind::Term,
            Suffix::Method => DescriptorKind::Method,
            Suffix::Macro => DescriptorKind::Macro,
            _ => DescriptorKind::Other,
        };
        let descriptors = parsed.descriptors.into_iter().map(|one| SymbolDescriptor {
            kind: kind(one.suffix.enum_value_or_default()),
            name: one.name,
            disambiguator: one.disambiguator,
        });
        Some(GlobalSymbol {
            scheme: parsed.scheme,
            manager: package.manager,
            package: package.name,
            version: package.version,
            descriptors: descriptors.collect(),
        })
    }

    const EXAMPLES: &[&str] = &[
        "scip-typescript npm @acme/kit 1.0.0 src/`a.ts`/Pool#take().",
        "scip-typescript npm . . src/`a.ts`/Pool#`<constructor>`().(size)",
        "scip-python python kit 0.1 `kit.pool`/Pool#take().",
        "rust-analyzer cargo kit 0.1.0 pool/impl#[Pool][`Iterator<u8>`]next().",
        "scip-go gomod example.com/kit v1.2.3 `example.com/kit/pool`/Pool#Take(+1).",
        "semanticdb maven . . a/b/C#`a``b`.x:y!",
        "a  b npm c d e.",
        "local 3",
        "",
        "a b c d ",
        "a b c d e",
        ". . . . a/",
    ];

    #[test]
    fn examples_are_parsed_as_by_the_reference() {
        for text in EXAMPLES {
            assert_eq!(GlobalSymbol::parse(text), reference(text), "{text}");
        }
        let parsed = GlobalSymbol::parse(EXAMPLES[0]).unwrap();
        assert_eq!((parsed.manager.as_str(), parsed.package.as_str()), ("npm", "@acme/kit"));
        let names: Vec<&str> = parsed.descriptors.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["src", "a.ts", "Pool", "take"]);
        assert_eq!(parsed.format(), EXAMPLES[0]);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_as_by_the_reference(text in "[a-b. ]{0,8}( ?[a-b.`#()\\[\\]/!: +-]{0,3}){0,8}") {
            prop_assert_eq!(GlobalSymbol::parse(&text), reference(&text));
        }

        #[test]
        fn a_formatted_symbol_is_parsed_again(package in "[a-z@/ .]{1,6}", name in "[a-zA-Z`<>. ]{1,6}") {
            let symbol = GlobalSymbol {
                scheme: "causeway".into(),
                manager: "npm".into(),
                package: package.clone(),
                version: String::new(),
                descriptors: vec![SymbolDescriptor { name, kind: DescriptorKind::Method, disambiguator: "+1".into() }],
            };
            if package.trim() == package && package != "." {
                prop_assert_eq!(GlobalSymbol::parse(&symbol.format()), Some(symbol));
            }
        }
    }
}
