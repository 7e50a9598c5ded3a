//! The numbers of the grammar's fields, looked up once: a name would be compared with all others at each use.

use std::sync::LazyLock;

macro_rules! fields {
    ($($field:ident = $name:literal,)*) => {
        /// Numbers of fields.
        pub(super) struct Fields { $(pub(super) $field: u16),* }

        pub(super) static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
            let grammar = tree_sitter::Language::from(tree_sitter_go::LANGUAGE);
            // No field has number 0, which is that of a field that the grammar has not.
            let number = |name: &str| grammar.field_id_for_name(name).map_or(0, u16::from);
            Fields { $($field: number($name)),* }
        });

        #[cfg(test)]
        const NAMES: &[&str] = &[$($name),*];
    };
}

fields! {
    alias = "alias",
    arguments = "arguments",
    body = "body",
    capacity = "capacity",
    element = "element",
    end = "end",
    field = "field",
    function = "function",
    index = "index",
    initializer = "initializer",
    key = "key",
    left = "left",
    name = "name",
    operand = "operand",
    operator = "operator",
    parameters = "parameters",
    receiver = "receiver",
    result = "result",
    right = "right",
    start = "start",
    type_ = "type",
    type_arguments = "type_arguments",
    type_parameters = "type_parameters",
    value = "value",
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn the_grammar_has_every_field() {
        let grammar = tree_sitter::Language::from(tree_sitter_go::LANGUAGE);
        let missing: Vec<&&str> = NAMES.iter().filter(|name| grammar.field_id_for_name(name).is_none()).collect();
        assert_eq!(missing, Vec::<&&str>::new());
    }
}
