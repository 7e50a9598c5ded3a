//! Distinguishes words from random characters.

/// For each first letter from `a` to `z`, the second letters of common pairs, and those of less common ones. The 190 common and
/// 150 less common pairs cover 87 % and 9 % of the pairs in words of source code, but 28 % and 22 % of those in random letters.
#[rustfmt::skip]
const LETTER_PAIRS: [(&[u8], &[u8]); 26] = [
    (b"bcdgilmnprstuv", b"aefkqwxy"), // a
    (b"aeilosu", b"cjmrty"), // b
    (b"acehiklortu", b"psy"), // c
    (b"aeiosu", b"bcdlprvy"), // d
    (b"acdefglmnprstvx", b"bhijkoquwy"), // e
    (b"aefilo", b"rtuy"), // f
    (b"aeir", b"ghlnosu"), // g
    (b"aeiot", b"mnrsu"), // h
    (b"abcdefglmnoprstvz", b"ikx"), // i
    (b"", b"aeosuw"), // j
    (b"ei", b"asu"), // k
    (b"adeilostuy", b"cmpv"), // l
    (b"aeiop", b"bclmsuy"), // m
    (b"acdefgiostv", b"bhklmnpruy"), // n
    (b"acdlmnoprstuvw", b"befgikx"), // o
    (b"aeiloprt", b"bcdhsuy"), // p
    (b"u", b"l"), // q
    (b"acdeimnorstuy", b"bfgklpvw"), // r
    (b"acehiopstu", b"dfklmnrvwy"), // s
    (b"acehilorstuy", b"dfmpw"), // t
    (b"bceilmnprst", b"adfgo"), // u
    (b"aei", b"o"), // v
    (b"aei", b"hnors"), // w
    (b"", b"ceipt"), // x
    (b"p", b"cdeimnost"), // y
    (b"e", b"aiz"), // z
];

/// Points that a word may lack.
const MAX_LACK: i32 = 2;

/// Number of pairs for each of which a text with punctuation may lack a point. Paths have more acronyms than words.
const MIN_PAIRS_OF_A_LACK: i32 = 4;

/// Returns true if a value could be made of words, with punctuation between them.
pub(super) fn is_words(value: &str) -> bool {
    value.split(|c: char| !c.is_alphanumeric()).all(is_wordlike) && is_pronounceable(value) && !is_jumble(value)
}

/// Returns true if the letters of a value could form words, between punctuation.
pub(super) fn is_pronounceable(value: &str) -> bool {
    has_common_pairs(value, value.len() as i32 / MIN_PAIRS_OF_A_LACK)
}

/// Returns true if a long value changes between capitals, small letters and digits every other character, or has many marks
/// between few letters, of which at least one is rare in names and paths.
pub(super) fn is_jumble(value: &str) -> bool {
    const MIN_BYTES: usize = 16;
    /// Mean run length in tenths of a character. It is 2.2 in random text, including the merged runs of capitals.
    const MAX_MEAN_RUN_TENTHS: usize = 22;
    const RARE_MARKS: [char; 13] = ['!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '?', '~', ','];
    const MAX_MEAN_PART: usize = 5;
    // `!` ends an expression in some languages.
    let value = value.trim_end_matches(['!', '?', ',']);
    let has = |is_of_class: fn(&u8) -> bool| value.as_bytes().iter().any(is_of_class);
    let (has_small, has_capital, has_digit) =
        (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase), has(u8::is_ascii_digit));
    let n_alphanumeric = value.chars().filter(|c| c.is_alphanumeric()).count();
    let n_parts = value.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).count();
    let is_changing = has_digit && n_alphanumeric * 10 <= MAX_MEAN_RUN_TENTHS * count_runs(value);
    let has_marks = value.contains(RARE_MARKS) && n_alphanumeric <= MAX_MEAN_PART * n_parts;
    value.len() >= MIN_BYTES && has_small && has_capital && (is_changing || has_marks)
}

/// Returns true if a part of a value, without punctuation, could be a word, an acronym, a number, or words in camel case, with
/// numbers between long words and at the end.
fn is_wordlike(part: &str) -> bool {
    const MAX_UNDECIDABLE_LEN: usize = 3;
    const MAX_ACRONYM_LEN: usize = 5;
    let words = part.trim_end_matches(|c: char| c.is_ascii_digit());
    if part.len() <= MAX_UNDECIDABLE_LEN || words.is_empty() {
        return true;
    }
    let is_letters = words.chars().all(char::is_alphabetic);
    let n_runs = count_runs(words);
    if is_letters && n_runs == 1 && words.len() <= MAX_ACRONYM_LEN {
        return true;
    }
    /// In tenths of a character.
    const MIN_MEAN_RUN: usize = 30;
    const MIN_MEAN_RUN_WITH_NUMBERS: usize = 45;
    let n_digits = words.chars().filter(char::is_ascii_digit).count();
    if n_digits * 3 > words.len() {
        return false;
    }
    let min_mean_run = if is_letters { MIN_MEAN_RUN } else { MIN_MEAN_RUN_WITH_NUMBERS };
    words.chars().count() * 10 >= min_mean_run * n_runs && words.contains(is_vowel) && has_common_pairs(words, MAX_LACK)
}

fn is_vowel(c: char) -> bool {
    !c.is_ascii() || matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

/// Returns true if the letters of a text could form words: enough of their pairs are common in words. Words may lack a few
/// points, such as those with an acronym.
fn has_common_pairs(text: &str, max_lack: i32) -> bool {
    /// Number of pairs below which nothing can be said.
    const MIN_PAIRS: usize = 8;
    let (n_pairs, points) = count_pairs(text);
    n_pairs < MIN_PAIRS || points >= -max_lack
}

/// Returns the number of pairs of letters in a text, and their points: as many as pairs at most, and negative in random text.
pub(super) fn count_pairs(text: &str) -> (usize, i32) {
    let is_pair = |pair: &&[u8]| {
        let is_hump = pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
        !is_hump && pair.iter().all(u8::is_ascii_alphabetic)
    };
    let (mut n_pairs, mut points) = (0, 0);
    for pair in text.as_bytes().windows(2).filter(is_pair) {
        n_pairs += 1;
        points += points_of(pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase());
    }
    (n_pairs, points - 2 * n_acronyms(text).saturating_sub(1) as i32)
}

/// Counts the capitals that end an acronym and begin a word, such as `S` in `HTTPServer`. A name has one or two.
fn n_acronyms(text: &str) -> usize {
    let is_acronym =
        |part: &&[u8]| part[0].is_ascii_uppercase() && part[1].is_ascii_uppercase() && part[2].is_ascii_lowercase();
    text.as_bytes().windows(3).filter(is_acronym).count()
}

/// Returns the points of a pair of small letters: about the logarithm of its frequency in words, against random letters.
fn points_of(first: u8, second: u8) -> i32 {
    let (common, less_common) = LETTER_PAIRS[usize::from(first - b'a')];
    match () {
        () if common.contains(&second) || second == first + 1 => 1,
        () if less_common.contains(&second) => -1,
        () => -3,
    }
}

/// Counts the runs of letters and of digits. A capital after a small letter starts a run.
pub(super) fn count_runs(value: &str) -> usize {
    #[derive(PartialEq, Clone, Copy)]
    enum CharClass {
        Capital,
        Small,
        Digit,
        Other,
    }
    let class_of = |c: char| match c {
        c if c.is_numeric() => CharClass::Digit,
        c if c.is_uppercase() => CharClass::Capital,
        c if c.is_alphabetic() => CharClass::Small,
        _ => CharClass::Other,
    };
    let mut n_runs = 0;
    let mut before = CharClass::Other;
    for class in value.chars().map(class_of) {
        let continues = class == before || (before == CharClass::Capital && class == CharClass::Small);
        n_runs += usize::from(class != CharClass::Other && !continues);
        before = class;
    }
    n_runs
}
