//! Random values of the kinds that secrets have.

/// A generator of pseudo-random numbers (SplitMix64): the same values in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn chars(&mut self, alphabet: &str, n: usize) -> String {
        (0..n).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }

    fn between(&mut self, min: usize, max: usize) -> usize {
        min + self.below(max - min + 1)
    }
}

/// The name of a kind, and its generator.
pub(crate) type ValueKind = (&'static str, fn(&mut Random) -> String);

const HEX: &str = "0123456789abcdef";
const CAPITALS_AND_DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const SMALL_AND_DIGITS: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const ALPHANUMERIC: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The kinds of the matrix.
pub(crate) const KINDS: &[ValueKind] = &[
    ("40 characters of base64", |random| random.chars(BASE64, 40)),
    ("hex", |random| {
        let n = [32, 40, 64][random.below(3)];
        random.chars(HEX, n)
    }),
    ("base64url", |random| {
        let n = random.between(22, 43);
        random.chars(BASE64_URL, n)
    }),
    ("base64 of 16 to 48 bytes", base64_of_bytes),
    ("UUID", |random| [8, 4, 4, 4, 12].map(|n| random.chars(HEX, n)).join("-")),
    ("JSON web token", |random| {
        format!(
            "eyJ{}.eyJ{}.{}",
            random.chars(BASE64_URL, 33),
            random.chars(BASE64_URL, 60),
            random.chars(BASE64_URL, 43)
        )
    }),
    ("issued token", |random| {
        // In two parts, since a code host would reject the whole at a push.
        let (prefix, n) = [(["gh", "p_"], 36), (["xox", "b-"], 24), (["sk_", "live_"], 24)][random.below(3)];
        prefix.concat() + &random.chars(ALPHANUMERIC, n)
    }),
    ("alphanumeric", |random| {
        let n = random.between(16, 48);
        random.chars(ALPHANUMERIC, n)
    }),
    ("with punctuation", |random| with_punctuation(random, "@/+=!%^*~.:-_?")),
    ("passphrase", |random| {
        let n = random.between(4, 6);
        passphrase(random, n)
    }),
];

/// Kinds that were added after the rules were written.
pub(crate) const MORE_KINDS: &[ValueKind] = &[
    ("letters", |random| {
        let n = random.between(20, 40);
        random.chars(LETTERS, n)
    }),
    ("base32", |random| {
        let n = [16, 26, 32, 52][random.below(4)];
        random.chars("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", n)
    }),
    ("capital hex", |random| random.chars("0123456789ABCDEF", 32)),
    ("small letters and digits", |random| {
        let n = random.between(20, 32);
        random.chars(SMALL_AND_DIGITS, n)
    }),
    ("groups", |random| [0; 5].map(|_| random.chars(CAPITALS_AND_DIGITS, 5)).join("-")),
    ("prefixed", |random| {
        let prefix = random.of(&["key-", "dapi", "SK", "tok_", "rk.", "v1.", "pk/"]);
        prefix.to_owned() + &random.chars(ALPHANUMERIC, 32)
    }),
    ("with other punctuation", |random| with_punctuation(random, "|~!@^*+=:.?")),
];

/// Values with a mark that ends values or belongs to code.
pub(crate) const MARKED_KINDS: &[ValueKind] = &[
    ("one mark of code", |random| with_one_mark(random, "()[]{}<>#$&;,\\|'\"`")),
    ("printable characters", |random| printable(random, "!#$%&()*+,-./:;<=>?@[\\]^_{|}~'\"`")),
];

/// The same without the marks that end a quoted text.
pub(crate) const MARKED_UNQUOTED_KINDS: &[ValueKind] = &[
    ("one mark of code", |random| with_one_mark(random, "()[]{}<>#$&;,|'`")),
    ("printable characters", |random| printable(random, "!#$%&()*+,-./:;<=>?@[]^_{|}~'`")),
];

/// Returns 6 and 12 characters with one of `marks` between them.
fn with_one_mark(random: &mut Random, marks: &str) -> String {
    random.chars(ALPHANUMERIC, 6) + &random.chars(marks, 1) + &random.chars(ALPHANUMERIC, 12)
}

/// Returns 20 to 32 characters of equal likelihood, of which the first and the last are no marks.
fn printable(random: &mut Random, marks: &str) -> String {
    let n = random.between(18, 30);
    let middle = random.chars(&(ALPHANUMERIC.to_owned() + marks), n);
    random.chars(ALPHANUMERIC, 1) + &middle + &random.chars(ALPHANUMERIC, 1)
}

fn base64_of_bytes(random: &mut Random) -> String {
    let n_bytes = random.between(16, 48);
    let text = random.chars(BASE64, (n_bytes * 4).div_ceil(3));
    format!("{text}{}", "=".repeat((3 - n_bytes % 3) % 3))
}

/// Returns 16 to 32 characters, each fifth one of `marks`, such as `p@ss/w0rd+xyz==`.
fn with_punctuation(random: &mut Random, marks: &str) -> String {
    let n = random.between(16, 32);
    let mut value = random.chars(ALPHANUMERIC, 1);
    for _ in 1..n {
        let alphabet = if random.below(5) == 0 { marks } else { ALPHANUMERIC };
        value += &random.chars(alphabet, 1);
    }
    value + &random.chars(ALPHANUMERIC, 1)
}

fn passphrase(random: &mut Random, n_words: usize) -> String {
    const WORDS: &[&str] = &[
        "correct", "horse", "battery", "staple", "river", "anchor", "violet", "thunder", "maple", "candle", "orbit",
        "pepper", "silver", "walnut", "harbour", "meadow", "copper", "lantern", "falcon", "glacier", "marble",
        "tundra", "velvet", "saffron", "cactus", "ember", "pirate", "quartz", "raven", "sonnet", "teapot", "umbrella",
    ];
    let mut words: Vec<String> = (0..n_words).map(|_| random.of(WORDS).to_owned()).collect();
    if random.below(2) == 0 {
        words.push(random.below(1_000).to_string());
    }
    words.join("-")
}
