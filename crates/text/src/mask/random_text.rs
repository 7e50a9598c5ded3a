//! Recognises long random text of all printable characters, such as the salts of WordPress, which may contain blanks.

use super::words::count_pairs;

/// Minimum and maximum length in bytes.
const MIN_BYTES: usize = 40;
const MAX_BYTES: usize = 512;

/// Number of bytes that are examined.
const MAX_EXAMINED: usize = 64;

/// Minimum number of different marks. Sentences and most code have fewer.
const MIN_KINDS_OF_MARKS: usize = 6;

/// Number of different marks from which on a text with all classes of characters needs less evidence by its letters.
const MANY_KINDS_OF_MARKS: usize = 10;

/// Maximum mean length in tenths of a run of capitals, small letters, digits or others. It is 14 to 16 in random text, and 25 in
/// sentences.
const MAX_MEAN_RUN_TENTHS: usize = 22;

/// Minimum number of pairs of letters that tell words from random letters.
const MIN_PAIRS: usize = 5;

/// Returns true for random text. Its blanks and marks do not make it a sentence, a structure or a placeholder.
pub(super) fn is_random_text(value: &str) -> bool {
    if !(MIN_BYTES..=MAX_BYTES).contains(&value.len()) || !value.is_ascii() {
        return false;
    }
    let examined = &value[..value.len().min(MAX_EXAMINED)];
    let (mut is_seen, mut n_distinct, mut n_kinds_of_marks) = ([false; 128], 0, 0);
    let (mut n_runs, mut class_before) = (0, None);
    for byte in examined.bytes() {
        if !std::mem::replace(&mut is_seen[usize::from(byte)], true) {
            n_distinct += 1;
            n_kinds_of_marks += usize::from(byte.is_ascii_punctuation());
        }
        let class = Some((byte.is_ascii_uppercase(), byte.is_ascii_lowercase(), byte.is_ascii_digit()));
        n_runs += usize::from(class != class_before);
        class_before = class;
    }
    let has = |is_of_class: fn(&u8) -> bool| examined.as_bytes().iter().any(is_of_class);
    let is_of_all_classes = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    let is_diverse =
        is_of_all_classes && n_kinds_of_marks >= MANY_KINDS_OF_MARKS && n_distinct * 10 >= examined.len() * 6;
    let (n_pairs, points) = count_pairs(examined);
    let is_of_words = match is_diverse {
        true => points * 2 > n_pairs as i32,
        false => n_pairs < MIN_PAIRS || points >= 0,
    };
    n_kinds_of_marks >= MIN_KINDS_OF_MARKS
        && n_distinct * 2 >= examined.len()
        && examined.len() * 10 <= n_runs * MAX_MEAN_RUN_TENTHS
        && !is_of_words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask_secrets;

    const SALTS: [&str; 4] = [
        "N/27x:/&i:>Z#d-<+.5 G%,-J5X_Om9q*&Ytg/Y]BEmkS,s9YV>n$[9fs(c=9uQ!",
        "*aB rOk4p9Bq<hT[Irq`)T3poo#7IOFRY|^0H1--sYKi:+^@w8o3{ dY3@+B$i}S",
        "4.&b 25<Q[N:aocLWaPxgQVCXo688>[Forx=KD-8CLl?cnU-<YC(a  I;8>&B@gN",
        "y4*cf#$v_rc_c-mzb5&3-sc&k2b*u49n2ccda10yqba2*wi6(2",
    ];

    #[test]
    fn salts_are_random_text() {
        for salt in SALTS {
            assert!(is_random_text(salt), "{salt}");
        }
    }

    #[test]
    fn sentences_and_code_are_no_random_text() {
        for text in [
            "Set this to a long, random (64+ chars) string; see https://api.example.org/salt/ & keep it!",
            "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO UPDATE SET b = $2 RETURNING *;",
            "^[a-zA-Z0-9_-]{10,}(?:[+/=]{1,2})?(?:\\.[a-zA-Z0-9_-]+){2}$",
            "2024-06-14T17:30:00-04:00[America/New_York] +02:30 ~ (estimated)",
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!@#$%^&*()",
            "GET /login?user={user}&next=%2Fhome#top HTTP/1.1; Accept: text/html, */*",
            "a = b ? c : d; e += f * (g - h) / i; j = [k, l]; m = {n: o}; p != q",
        ] {
            assert!(!is_random_text(text), "{text}");
        }
    }

    #[test]
    fn salts_of_telling_names_are_masked_whole() {
        let names = ["AUTH_KEY", "SECURE_AUTH_KEY", "LOGGED_IN_KEY", "NONCE_KEY", "WP_CACHE_KEY_SALT"];
        let salts = ["AUTH_SALT", "SECURE_AUTH_SALT", "LOGGED_IN_SALT", "NONCE_SALT"];
        for name in names.into_iter().chain(salts) {
            for line in [
                "define('NAME', 'VALUE');",
                "define( 'NAME',         'VALUE' );",
                "NAME='VALUE'",
                "NAME: 'VALUE'",
                "$NAME = 'VALUE';",
                "const NAME = 'VALUE';",
            ] {
                for salt in SALTS {
                    let line = line.replace("NAME", name);
                    let masked = mask_secrets(&line.replace("VALUE", salt)).into_owned();
                    assert_eq!(masked, line.replace("VALUE", "[masked]"));
                }
            }
        }
    }

    #[test]
    fn sentences_behind_telling_names_are_kept() {
        for line in [
            "define('AUTH_KEY', 'put your unique phrase here');",
            "define('NONCE_SALT', 'Use 64 characters: letters, digits & marks (such as !, # or +), please.');",
            "AUTH_KEY = 'see https://api.example.org/secret-key/1.1/salt/ for a new one, then paste it'",
            "define('SITE_TITLE', 'N/27x:/&i:>Z#d-<+.5 G%,-J5X_Om9q*&Ytg/Y]BEmkS,s9YV>n$[9fs(c=9uQ!');",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
