//! Base types of the standard libraries of Rust, Python and Go whose members are few and known.

use model::Language;

/// Traits with all their members. Those with many (`Iterator`, `Read`) are left out.
const STANDARD_TRAITS: &[(&str, &[&str])] = &[
    ("Copy", &[]),
    ("Send", &[]),
    ("Sync", &[]),
    ("Sized", &[]),
    ("Unpin", &[]),
    ("Eq", &[]),
    ("Clone", &["clone", "clone_from"]),
    ("Debug", &["fmt"]),
    ("Display", &["fmt"]),
    ("Default", &["default"]),
    ("PartialEq", &["eq", "ne"]),
    ("PartialOrd", &["partial_cmp", "lt", "le", "gt", "ge"]),
    ("Ord", &["cmp", "max", "min", "clamp"]),
    ("Hash", &["hash", "hash_slice"]),
    ("Drop", &["drop"]),
    ("Any", &["type_id"]),
    ("From", &["from"]),
    ("Into", &["into"]),
    ("TryFrom", &["try_from"]),
    ("TryInto", &["try_into"]),
    ("FromStr", &["from_str"]),
    ("AsRef", &["as_ref"]),
    ("AsMut", &["as_mut"]),
    ("Add", &["add"]),
    ("Sub", &["sub"]),
    ("Mul", &["mul"]),
    ("Div", &["div"]),
    ("Rem", &["rem"]),
    ("Neg", &["neg"]),
    ("Not", &["not"]),
    ("BitAnd", &["bitand"]),
    ("BitOr", &["bitor"]),
    ("BitXor", &["bitxor"]),
    ("Shl", &["shl"]),
    ("Shr", &["shr"]),
    ("AddAssign", &["add_assign"]),
    ("SubAssign", &["sub_assign"]),
    ("MulAssign", &["mul_assign"]),
    ("DivAssign", &["div_assign"]),
    ("RemAssign", &["rem_assign"]),
    ("BitAndAssign", &["bitand_assign"]),
    ("BitOrAssign", &["bitor_assign"]),
    ("BitXorAssign", &["bitxor_assign"]),
    ("ShlAssign", &["shl_assign"]),
    ("ShrAssign", &["shr_assign"]),
    ("Index", &["index"]),
];

/// Abstract collections of Python, with all their members but those between underscores. Those whose names other libraries have, too
/// (`Sequence`, `Iterator`, `Container`), are left out.
const COLLECTIONS: &[(&str, &[&str])] = &[
    ("MutableMapping", &["keys", "items", "values", "get", "pop", "popitem", "clear", "update", "setdefault"]),
    ("Hashable", &[]),
];

/// Types of Go that others embed, with all their members. Those whose names other packages have, too (`Reader`, `Mutex`, `WriteCloser`), are
/// left out, since only the last name of an embedded type is known.
const EMBEDDED_TYPES: &[(&str, &[&str])] = &[
    ("RuneReader", &["ReadRune"]),
    ("RuneScanner", &["ReadRune", "UnreadRune"]),
    ("Stringer", &["String"]),
    ("error", &["Error"]),
];

/// Returns true for a base type of the standard library that is known to lack a member. A type of the own repository is none.
pub(crate) fn lacks_member(language: Language, base: &str, member: &str) -> bool {
    let known = match language {
        Language::Rust => STANDARD_TRAITS,
        Language::Python if !member.starts_with("__") => COLLECTIONS,
        Language::Go => EMBEDDED_TYPES,
        _ => return false,
    };
    known.iter().any(|(name, members)| *name == base && !members.contains(&member))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_known_for_types_of_the_tables() {
        use Language::{Go, Java, Python, Rust};
        for (language, base, member, expected) in [
            (Go, "RuneReader", "PeekLine", true),
            (Go, "RuneReader", "ReadRune", false),
            (Go, "Reader", "PeekLine", false),
            (Go, "Mutex", "Run", false),
            (Go, "ReaderAt", "Size", false),
            (Rust, "Mutex", "run", false),
            (Rust, "Sized", "run", true),
            (Rust, "Add", "add", false),
            (Rust, "Iterator", "run", false),
            (Rust, "Library", "run", false),
            (Python, "MutableMapping", "getlist", true),
            (Python, "MutableMapping", "get", false),
            (Python, "MutableMapping", "__len__", false),
            (Python, "Hashable", "run", true),
            (Python, "Mapping", "getlist", false),
            (Python, "Sequence", "on_epoch_end", false),
            (Python, "Iterator", "reset", false),
            (Python, "MutableMapping", "update", false),
            (Python, "Add", "run", false),
            (Java, "MutableMapping", "run", false),
        ] {
            assert_eq!(lacks_member(language, base, member), expected, "{language:?} {base} {member}");
        }
    }
}
