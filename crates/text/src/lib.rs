//! Everything that happens to text before it leaves the house, in the order in which it happens: it is cleaned
//! (sanitised, then masked), its size is estimated, a budget is shared out over what wants to be shown, each item is
//! cut down to its share, and what is left is fenced. Secrets are masked once before: where text comes in, so that no
//! index holds them ([`without_secrets`]).
//!
//! The crate is pure and knows no file, clock or network. It deliberately does not know either where a text comes
//! from, who asks, or how an answer is laid out: it is given strings and numbers, and gives strings and numbers back.
//!
//! Clean a whole file, or at least a whole definition, before cutting an excerpt from it: a private key is recognised
//! by its first line, or by several of its lines, which an excerpt may have left out.

mod sanitise;

mod sentences;

mod mask;

mod tokens;

mod pack;

mod excerpt;

mod skeleton;

mod fence;

mod line;

pub mod danger;

pub use excerpt::{Excerpt, Interest, Source, excerpt};
pub use fence::fence;
pub use line::{CUT, GAP, MAX_LINE_CHARS};
pub use mask::{MASK, mask_secrets};
pub use pack::{Want, share};
pub use sanitise::{sanitise, sanitise_name};
pub use sentences::sentences;
pub use skeleton::{OutlineRow, skeleton};
pub use tokens::estimate_tokens;

use std::borrow::Cow;

/// Returns `source` fit to be shown: sanitised, and its secrets masked. The front door for all source text.
///
/// Lines stay where they were. Names, paths and ids go through [`sanitise_name`] instead, which masks nothing.
pub fn clean(source: &str) -> Cow<'_, str> {
    match sanitise(source) {
        Cow::Borrowed(sanitised) => mask_secrets(sanitised),
        Cow::Owned(sanitised) => match mask_secrets(&sanitised) {
            Cow::Owned(masked) => Cow::Owned(masked),
            Cow::Borrowed(_) => Cow::Owned(sanitised),
        },
    }
}

/// Raised when other things are masked than before: what was made of text that was masked otherwise is made anew.
pub const MASKING_VERSION: u32 = 1;

/// Returns `source` as it is, to the byte, if it holds no secret, and [`clean`] otherwise: fit to be indexed.
///
/// Lines stay where they were. What no one can see hides no secret here either, although it stays where there is none.
pub fn without_secrets(source: &str) -> Cow<'_, str> {
    match sanitise(source) {
        Cow::Borrowed(sanitised) => mask_secrets(sanitised),
        Cow::Owned(sanitised) => match mask_secrets(&sanitised) {
            Cow::Owned(masked) => Cow::Owned(masked),
            Cow::Borrowed(_) => Cow::Borrowed(source),
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn invisible_characters_do_not_hide_a_secret() {
        let hidden = "key = ghp_\u{200b}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\r\n";
        assert_eq!(clean(hidden), "key = [masked]\n");
    }

    #[test]
    fn ordinary_text_is_borrowed() {
        assert!(matches!(clean("fn main() {}\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn only_what_holds_a_secret_is_changed_before_it_is_indexed() {
        for source in ["fn main() {}\r\n", "\u{feff}a\u{200b}b\n", "key = [masked]\r\n"] {
            assert!(matches!(without_secrets(source), Cow::Borrowed(same) if same == source), "{source:?}");
        }
        let hidden = "a\r\nkey = ghp_\u{200b}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\r\nb";
        assert_eq!(without_secrets(hidden), "a\nkey = [masked]\nb");
    }

    proptest! {
        #[test]
        fn cleaning_twice_changes_nothing_more(source in "(?s).{0,200}") {
            let once = clean(&source).into_owned();
            prop_assert_eq!(clean(&once), once.as_str());
        }
    }
}
