//! The parse tables of a compiled grammar.

use std::{ffi::c_void, slice};

use tree_sitter_language::LanguageFn;

/// The parse tables of a grammar.
pub(crate) struct ParseTables {
    /// An entry for each state and symbol, for the states with many of them.
    pub(crate) large: &'static [u16],
    /// For each other state, its groups of symbols with equal entries.
    pub(crate) small: &'static [u16],
}

/// The first fields of `struct TSLanguage` in `tree_sitter/parser.h`, which are the same in versions 13 to 15 of its format.
#[repr(C)]
struct LanguageHead {
    abi_version: u32,
    symbol_count: u32,
    alias_count: u32,
    token_count: u32,
    external_token_count: u32,
    state_count: u32,
    large_state_count: u32,
    production_id_count: u32,
    field_count: u32,
    max_alias_sequence_length: u16,
    parse_table: *const u16,
    small_parse_table: *const u16,
    small_parse_table_map: *const u32,
    parse_actions: *const c_void,
}

impl ParseTables {
    #[expect(unsafe_code, reason = "a grammar is a struct of C with pointers to arrays")]
    pub(crate) fn of(language: LanguageFn) -> ParseTables {
        // SAFETY: the function of a grammar returns a pointer to a static `TSLanguage`, whose first fields are these in the versions that
        // the assertion admits.
        let head = unsafe { &*language.into_raw()().cast::<LanguageHead>() };
        assert!((13..=15).contains(&head.abi_version), "version {} of grammars is not known", head.abi_version);
        let n_large = head.large_state_count as usize * head.symbol_count as usize;
        let n_small_states = (head.state_count - head.large_state_count) as usize;
        // SAFETY: the generator of parsers gives the arrays these lengths.
        let (large, map) = unsafe {
            (
                slice::from_raw_parts(head.parse_table, n_large),
                slice::from_raw_parts(head.small_parse_table_map, n_small_states),
            )
        };
        // SAFETY: an offset of the map is within the array, and so is each state that begins there.
        let end = |start: u32| unsafe { end_of_state(head.small_parse_table, start as usize) };
        let n_small = map.iter().map(|start| end(*start)).max().unwrap_or(0);
        // SAFETY: no state ends behind the array.
        let small = unsafe { slice::from_raw_parts(head.small_parse_table, n_small) };
        ParseTables { large, small }
    }

    /// Returns both tables, one after the other, as little-endian bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.large.iter().chain(self.small).flat_map(|entry| entry.to_le_bytes()).collect()
    }
}

/// Returns the end of a state: the number of its groups, then for each an entry, the number of its symbols, and these.
///
/// # Safety
///
/// A state must begin at `start`.
#[expect(unsafe_code, reason = "the length of the array is not known yet")]
unsafe fn end_of_state(table: *const u16, start: usize) -> usize {
    // SAFETY: all indices are within the state.
    let at = |idx: usize| usize::from(unsafe { *table.add(idx) });
    (0..at(start)).fold(start + 1, |group, _| group + 2 + at(group + 1))
}
