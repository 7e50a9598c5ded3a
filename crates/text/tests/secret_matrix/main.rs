//! Every kind of secret, beside every name of a secret, in every syntax: the value is masked, whatever the combination.
//!
//! A combination fails if any part of the value is shown that would help to guess it.

mod blocks;
mod distant;
mod hold_out;
mod marked;
mod markup;
mod rare;
mod syntaxes;
mod values;

use std::collections::BTreeMap;

use blocks::BLOCK_SYNTAXES;
use distant::DISTANT_SYNTAXES;
use hold_out::HOLD_OUT;
use marked::{APART_SYNTAXES, QUOTED_SYNTAXES, UNQUOTED_SYNTAXES};
use markup::MARKUP_SYNTAXES;
use rare::RARE_SYNTAXES;
use syntaxes::{MORE_SYNTAXES, SYNTAXES};
use text::MASK;
use values::{KINDS, MARKED_KINDS, MARKED_UNQUOTED_KINDS, MORE_KINDS, Random, ValueKind};

/// Names of secrets, in the spellings that people use.
const NAMES: &[&str] = &[
    "password",
    "DB_PASSWORD",
    "spring.datasource.password",
    "secretKey",
    "AWS_SECRET_ACCESS_KEY",
    "api-key",
    "x-api-key",
    "apiKey",
    "ACCESS_TOKEN",
    "auth-token",
    "client_secret",
    "clientSecret",
    "PRIVATE_KEY",
    "connectionString",
    "CONNECTION_STRING",
    "jwt.secret",
    "signingKey",
    "passphrase",
];

/// Names that were added after the rules were written.
const MORE_NAMES: &[&str] = &[
    "smtp_pass",
    "dbPwd",
    "master.key",
    "WEBHOOK_SECRET",
    "PGPASSWORD",
    "refreshToken",
    "service_account_key",
    "hmacKey",
    "deploy-token",
    "sharedAccessKey",
    "ENCRYPTION_KEY_BASE64",
    "X-Auth-Key",
];

/// Number of values. Each is combined with every syntax, and each kind and syntax with every name.
const N_VALUES: usize = 2_000;

/// Number of values of the tests of other names, kinds and syntaxes.
const N_MORE_VALUES: usize = 400;

/// Number of values of characters of code. More are needed, since a value is shown in all syntaxes or in none.
const N_MARKED_VALUES: usize = 5_000;

/// Maximum share of combinations that may show the value.
const MAX_SHOWN: f64 = 0.001;

/// The same for values of characters of code: a few of them look like code.
const MAX_MARKED_SHOWN: f64 = 0.0015;

/// Number of consecutive characters of a value that count as shown.
const N_SHOWN_CHARS: usize = 8;

/// The outcome of all combinations of some names, kinds and syntaxes.
#[derive(Default)]
struct Outcome {
    n_combinations: usize,
    n_shown: usize,
    n_surroundings_masked: usize,
    /// The number of failures by syntax, kind and name, each with an example.
    failures: BTreeMap<String, (usize, String)>,
}

/// Masks every combination of a name, a kind and a syntax, each with several values.
fn measure(names: &[&str], kinds: &[ValueKind], syntaxes: &[(&str, &str)], n_values: usize) -> Outcome {
    let mut random = Random(19);
    let mut outcome = Outcome::default();
    for idx in 0..n_values {
        let (kind, make) = kinds[idx % kinds.len()];
        let value = make(&mut random);
        for (syntax_idx, (syntax, template)) in syntaxes.iter().enumerate() {
            let name = names[(idx / kinds.len() + syntax_idx) % names.len()];
            let text = template.replace("NAME", name);
            let masked = text::mask_secrets(&text.replace("VALUE", &value)).into_owned();
            outcome.n_combinations += 1;
            if masked == text.replace("VALUE", MASK) {
                continue;
            }
            let is_shown = shows(&masked, &value);
            outcome.n_shown += usize::from(is_shown);
            outcome.n_surroundings_masked += usize::from(!is_shown);
            for group in [format!("syntax {syntax}"), format!("kind {kind}"), format!("name {name}")] {
                outcome.failures.entry(group).or_insert((0, masked.clone())).0 += 1;
            }
        }
    }
    outcome
}

fn shows(masked: &str, value: &str) -> bool {
    value.as_bytes().windows(N_SHOWN_CHARS).any(|part| masked.as_bytes().windows(part.len()).any(|shown| shown == part))
}

#[track_caller]
fn check(outcome: &Outcome) {
    check_share(outcome, MAX_SHOWN);
}

/// Fails if more than a share of the combinations show the value, or mask more than it.
#[track_caller]
fn check_share(outcome: &Outcome, max_share: f64) {
    let Outcome { n_combinations, n_shown, n_surroundings_masked, failures } = outcome;
    println!("{n_shown} of {n_combinations} combinations show the value");
    println!("{n_surroundings_masked} mask more than the value");
    for (group, (n, example)) in failures {
        println!("{n:6} {group}: {example}");
    }
    assert!(*n_shown as f64 <= max_share * *n_combinations as f64, "{n_shown} of {n_combinations} are shown");
    assert!(*n_surroundings_masked as f64 <= max_share * *n_combinations as f64, "{n_surroundings_masked}");
}

/// Returns the other kinds whose values contain no `|`, which would begin another cell of a table.
fn kinds_without_bars() -> &'static [ValueKind] {
    &MORE_KINDS[..MORE_KINDS.len() - 1]
}

#[test]
fn secrets_of_every_kind_are_masked_in_every_syntax() {
    assert!(NAMES.len() >= 15 && KINDS.len() >= 10 && SYNTAXES.len() >= 25);
    check(&measure(NAMES, KINDS, SYNTAXES, N_VALUES));
}

#[test]
fn other_names_kinds_and_syntaxes_are_masked_as_well() {
    check(&measure(MORE_NAMES, KINDS, SYNTAXES, N_MORE_VALUES));
    check(&measure(NAMES, MORE_KINDS, SYNTAXES, N_MORE_VALUES));
    check(&measure(NAMES, KINDS, MORE_SYNTAXES, N_MORE_VALUES));
    check(&measure(MORE_NAMES, MORE_KINDS, MORE_SYNTAXES, N_MORE_VALUES));
}

#[test]
fn names_of_blocks_tables_and_options_mask_their_values() {
    check(&measure(NAMES, KINDS, BLOCK_SYNTAXES, N_MORE_VALUES));
    check(&measure(NAMES, kinds_without_bars(), BLOCK_SYNTAXES, N_MORE_VALUES));
}

#[test]
fn syntaxes_of_the_hold_out_are_masked() {
    check(&measure(NAMES, KINDS, HOLD_OUT, N_MORE_VALUES));
    check(&measure(NAMES, kinds_without_bars(), HOLD_OUT, N_MORE_VALUES));
}

#[test]
fn syntaxes_of_rare_languages_are_masked() {
    check(&measure(NAMES, KINDS, RARE_SYNTAXES, N_MORE_VALUES));
    check(&measure(NAMES, kinds_without_bars(), RARE_SYNTAXES, N_MORE_VALUES));
}

#[test]
fn values_that_no_assignment_links_are_masked() {
    check(&measure(NAMES, KINDS, DISTANT_SYNTAXES, N_MORE_VALUES));
    check(&measure(NAMES, kinds_without_bars(), DISTANT_SYNTAXES, N_MORE_VALUES));
}

#[test]
fn secrets_in_markup_are_masked() {
    check(&measure(NAMES, KINDS, MARKUP_SYNTAXES, N_MORE_VALUES));
    check(&measure(NAMES, kinds_without_bars(), MARKUP_SYNTAXES, N_MORE_VALUES));
}

#[test]
fn values_with_marks_of_code_are_masked() {
    check_share(&measure(NAMES, MARKED_KINDS, UNQUOTED_SYNTAXES, N_MARKED_VALUES), MAX_MARKED_SHOWN);
    check_share(&measure(NAMES, MARKED_UNQUOTED_KINDS, QUOTED_SYNTAXES, N_MARKED_VALUES), MAX_MARKED_SHOWN);
}

#[test]
fn values_apart_from_their_names_are_masked() {
    check(&measure(NAMES, KINDS, APART_SYNTAXES, N_MORE_VALUES));
}
