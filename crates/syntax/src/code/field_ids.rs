//! Field ids of a grammar, looked up once. A lookup by name compares the name with those of all fields.

/// Defines a struct with the id of each listed field, and a static `FIELDS` of it.
macro_rules! field_ids {
    ($ids:ident of $grammar:path { $($field:ident = $name:literal,)* }) => {
        /// Ids of the fields of the grammar.
        pub(super) struct $ids { $(pub(super) $field: u16),* }

        pub(super) static FIELDS: std::sync::LazyLock<$ids> = std::sync::LazyLock::new(|| {
            let grammar = tree_sitter::Language::from($grammar);
            // 0 is not the id of any field.
            let id = |name: &str| grammar.field_id_for_name(name).map_or(0, u16::from);
            $ids { $($field: id($name)),* }
        });

        #[cfg(test)]
        #[test]
        fn every_field_is_in_the_grammar() {
            $(assert_ne!(FIELDS.$field, 0, $name);)*
        }
    };
}

pub(super) use field_ids;
