//! Snippets of each language with their code as text.

mod bash;
mod csharp;
mod dart;
mod elixir;
mod kotlin;
mod php;
mod ruby;
mod scala;
mod swift;

use model::Language;

use crate::code::testing::print_tabled_code;

fn check_all(language: Language, snippets: &[(&str, &[&str])]) {
    for (source, expected) in snippets {
        assert_eq!(print_tabled_code(language, source), *expected, "{source}");
    }
}
