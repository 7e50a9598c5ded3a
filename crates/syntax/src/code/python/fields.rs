//! The fields of the grammar by number: by name, each use would compare the name with those of all fields.

use std::sync::LazyLock;

macro_rules! fields {
    ($($field:ident = $name:literal,)*) => {
        /// Numbers of fields.
        pub(super) struct Fields { $(pub(super) $field: u16),* }

        pub(super) static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
            let grammar = tree_sitter::Language::from(tree_sitter_python::LANGUAGE);
            // Number 0 is that of no field.
            let number = |name: &str| grammar.field_id_for_name(name).map_or(0, u16::from);
            Fields { $($field: number($name)),* }
        });

        #[cfg(test)]
        const NUMBERS: &[(&str, fn(&Fields) -> u16)] = &[$(($name, |fields| fields.$field)),*];
    };
}

fields! {
    alias = "alias",
    alternative = "alternative",
    argument = "argument",
    arguments = "arguments",
    attribute = "attribute",
    body = "body",
    condition = "condition",
    consequence = "consequence",
    definition = "definition",
    function = "function",
    guard = "guard",
    key = "key",
    left = "left",
    module_name = "module_name",
    name = "name",
    object = "object",
    operator = "operator",
    parameters = "parameters",
    return_type = "return_type",
    right = "right",
    subject = "subject",
    superclasses = "superclasses",
    type_ = "type",
    type_parameters = "type_parameters",
    value = "value",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_has_all_fields() {
        for (name, number) in NUMBERS {
            assert_ne!(number(&FIELDS), 0, "{name}");
        }
    }
}
