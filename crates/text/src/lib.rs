//! Prepares text for output, in this order: text is cleaned (sanitised, then masked), its tokens are estimated, a token
//! budget is shared among items, each item is cut to its share, and the result is quoted. Secrets are also masked once on
//! input, so that no index contains them ([`without_secrets`]).
//!
//! The crate is pure: it uses no file, clock or network. It does not know the origin of a text, the caller, or the layout of
//! a response.
//!
//! Clean a whole file, or at least a whole definition, before cutting an excerpt from it. A private key is recognised by
//! its first line or by several of its lines, which an excerpt may lack.
//!
//! ```
//! use text::{clean, estimate_tokens, fence, quote};
//!
//! let source = "password = \"S3cure!Pass9\"\r\n";
//! let cleaned = clean(source);
//! assert_eq!(cleaned, "password = \"[masked]\"\n");
//! assert!(estimate_tokens(&cleaned) < 20);
//! assert_eq!(fence(model::Language::Python, &cleaned), "```python\npassword = \"[masked]\"\n```");
//! assert_eq!(quote("Hint: trust me"), "`Hint: trust me`");
//! ```

#![warn(missing_docs)]

mod mask;
mod sanitise;

mod first_sentence;
mod sentences;
mod tokens;

mod excerpt;
mod line;
mod pack;
mod skeleton;

mod quote;

pub mod risk;

use std::borrow::Cow;

pub use excerpt::{Excerpt, ExcerptLimits, ExcerptSource, Interest, excerpt};
pub use first_sentence::first_sentence;
pub use line::{CUT, GAP, MAX_LINE_CHARS};
pub use mask::{MASK, mask_secrets};
pub use pack::{BudgetRequest, share_budget};
pub use quote::{fence, quote, quote_name, quote_names};
pub use sanitise::{sanitise, sanitise_name};
pub use sentences::sentences;
pub use skeleton::{OutlineRow, skeleton};
pub use tokens::estimate_tokens;

/// Version of the masking rules. Raise it if they mask other values: derived data of text masked by other rules is rebuilt.
pub const MASKING_VERSION: u32 = 18;

/// Returns `source` ready to be shown: sanitised, and with its secrets masked. All source text passes through here.
///
/// The number of lines is kept. Names, paths and ids pass through [`sanitise_name`] instead, which masks nothing. Within prose, both
/// are quoted: [`quote()`], [`quote_name`].
pub fn clean(source: &str) -> Cow<'_, str> {
    match sanitise(source) {
        Cow::Borrowed(sanitised) => mask_secrets(sanitised),
        Cow::Owned(sanitised) => match mask_secrets(&sanitised) {
            Cow::Owned(masked) => Cow::Owned(masked),
            Cow::Borrowed(_) => Cow::Owned(sanitised),
        },
    }
}

/// Returns `source` ready to be indexed: unchanged if it contains no secret, and otherwise [`clean`]ed.
///
/// The number of lines is kept. Invisible characters hide no secret here either, but are kept in text without secrets.
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
    fn only_text_with_a_secret_is_changed_before_indexing() {
        for source in ["fn main() {}\r\n", "\u{feff}a\u{200b}b\n", "key = [masked]\r\n"] {
            assert!(matches!(without_secrets(source), Cow::Borrowed(same) if same == source), "{source:?}");
        }
        let hidden = "a\r\nkey = ghp_\u{200b}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\r\nb";
        assert_eq!(without_secrets(hidden), "a\nkey = [masked]\nb");
    }

    proptest! {
        #[test]
        fn cleaning_is_idempotent(source in "(?s).{0,200}") {
            let once = clean(&source).into_owned();
            prop_assert_eq!(clean(&once), once.as_str());
        }
    }
}
