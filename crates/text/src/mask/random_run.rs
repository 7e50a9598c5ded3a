//! Reads a random value without quotes that has marks of code, such as `x7#kQ(2v` in `DB_PASSWORD=x7#kQ(2v`.
//!
//! A random password of printable characters nearly always has a bracket, a quote or another mark that also ends a value or
//! belongs to code. Code consists of words and of brackets in pairs, random text does not.

use std::ops::Range;

use super::bare_value::is_bare;
use super::reader::Reader;
use super::secret_value::is_not_placeholder_word;
use super::words::count_pairs;

/// Minimum and maximum length in bytes.
const MIN_BYTES: usize = 16;
const MAX_BYTES: usize = 160;

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// The text of which a value takes all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunExtent {
    /// The rest of the line, perhaps.
    Line,
    /// A word of a command line.
    Word,
    /// Unknown: code may follow.
    Part,
}

/// Reads a random value at the reader that has a mark of code. The value ends before a blank, before the quote that encloses
/// it, and before the next setting of the same line.
pub(super) fn read_random_run(reader: &mut Reader<'_>, extent: RunExtent) -> Option<Range<usize>> {
    let start = reader.at;
    let mut ahead = *reader;
    let n_bytes = ahead.skip_while(MAX_BYTES + 1, |byte| byte.is_ascii_graphic());
    let run = &reader.text[start..start + n_bytes];
    if !(MIN_BYTES..=MAX_BYTES).contains(&n_bytes) || run.bytes().all(is_bare) {
        return None;
    }
    let quote = enclosing_quote(*reader);
    let n_bytes = quote.map_or(n_bytes, |quote| len_before_quote(run, quote));
    if is_enclosed(&run[..n_bytes]) {
        return None;
    }
    let run = &run[..len_before_setting(&run[..n_bytes])];
    let is_line = extent == RunExtent::Line && Reader { at: start + run.len(), ..*reader }.is_at_line_end();
    let is_whole = is_line || extent == RunExtent::Word || quote.is_some();
    let value = if is_line && quote.is_none() { run.trim_end_matches([',', ';']) } else { trim_closings(run) };
    // A mark at the end may close what encloses the value.
    let has_mark = trim_closings(value).bytes().any(|byte| !is_bare(byte));
    let is_random = has_mark && is_random_run(value, is_whole);
    is_random.then(|| {
        reader.at = start + value.len();
        start..reader.at
    })
}

/// Returns true if a value of printable characters is random, in contrast to code, a template, a pattern or a placeholder.
/// A value that is certainly `is_whole` needs less evidence than one that a blank may have cut.
pub(super) fn is_random_run(value: &str, is_whole: bool) -> bool {
    const MIN_DISTINCT: usize = 10;
    const MIN_EVIDENCE: usize = 4;
    const MIN_CHANGES: usize = 3;
    /// Maximum share of the letters and digits that belong to words.
    const MAX_WORDS_PERCENT: usize = 40;
    /// Minimum share of letters and digits.
    const MIN_ALPHANUMERIC_PERCENT: usize = 40;
    /// The same for a value with much evidence: random letters form a word now and then.
    const STRONG_EVIDENCE: usize = 8;
    const MAX_WORDS_PERCENT_OF_STRONG: usize = 75;
    const MIN_ALPHANUMERIC_PERCENT_OF_STRONG: usize = 25;
    /// Minimum number of pairs of letters that tell words from random letters, and the points of such pairs.
    const MIN_PAIRS: usize = 8;
    /// Number of kinds of marks that a line of code without blanks has.
    const USUAL_KINDS_OF_MARKS: usize = 4;
    if value.len() < MIN_BYTES || !value.bytes().all(|byte| byte.is_ascii_graphic()) || is_other_text(value) {
        return false;
    }
    let n_alphanumeric = value.bytes().filter(u8::is_ascii_alphanumeric).count();
    let n_changes = count_changes(value);
    let (n_pairs, points) = count_pairs(value);
    let unpronounceable = match n_pairs >= MIN_PAIRS {
        true if points <= -(n_pairs as i32) => 4,
        true if points < 0 => 2,
        _ => 0,
    };
    let evidence = 2 * n_changes
        + count_rare_marks(value)
        + count_misplaced(value)
        + 2 * usize::from(!is_balanced(value))
        + unpronounceable
        + count_kinds_of_marks(value).saturating_sub(USUAL_KINDS_OF_MARKS) / 2;
    let (max_words, min_alphanumeric) = match evidence >= STRONG_EVIDENCE {
        true => (MAX_WORDS_PERCENT_OF_STRONG, MIN_ALPHANUMERIC_PERCENT_OF_STRONG),
        false => (MAX_WORDS_PERCENT, MIN_ALPHANUMERIC_PERCENT),
    };
    n_distinct(value) >= MIN_DISTINCT
        && n_alphanumeric * 100 >= value.len() * min_alphanumeric
        && count_word_chars(value) * 100 <= n_alphanumeric * max_words
        && evidence >= MIN_EVIDENCE
        && (is_whole || n_changes >= MIN_CHANGES)
}

/// Returns true for a template, a pattern, a URL, a structure or a placeholder.
fn is_other_text(value: &str) -> bool {
    const ESCAPES: [&str; 7] = ["\\w", "\\d", "\\s", "\\x", "\\u", "\\b", "\\."];
    let n_escapes = ESCAPES.iter().filter(|escape| value.contains(**escape)).count();
    is_pattern(value)
        || n_escapes > 1
        || is_url(value)
        || is_template(value)
        || is_structure(value)
        || !is_not_placeholder_word(value)
}

/// Returns true for a regular expression: a class with a range, several ranges, or a group that is closed.
fn is_pattern(value: &str) -> bool {
    static RANGES: [&str; 4] = ["A-Z", "a-z", "0-9", "a-f"];
    const GROUPS: [&str; 5] = ["(?:", "(?=", "(?!", "(?P", "(?i"];
    let ranges = || RANGES.iter().flat_map(|range| value.match_indices(range));
    let is_in_class = |at: usize| value[..at].ends_with('[') || value[..at].ends_with("[^");
    let is_group = |group: &&str| value.split_once(*group).is_some_and(|(_, rest)| rest.contains(')'));
    ranges().count() > 1 || ranges().any(|(at, _)| is_in_class(at)) || GROUPS.iter().any(is_group)
}

/// Returns true if a scheme is in the value.
fn is_url(value: &str) -> bool {
    const MIN_SCHEME_LEN: usize = 2;
    value
        .split_once("://")
        .is_some_and(|(before, _)| before.bytes().rev().take_while(u8::is_ascii_alphabetic).count() >= MIN_SCHEME_LEN)
}

/// Returns true for the beginning of an expansion, and for one within a text, such as `x-${NAME}` and `{{name}}`.
fn is_template(value: &str) -> bool {
    const OPENINGS: [&str; 7] = ["${", "$(", "#{", "{{", "%(", "<%", "@{"];
    OPENINGS.iter().any(|opening| {
        value.match_indices(opening).any(|(at, _)| {
            let name = value[at + opening.len()..].trim_start_matches(['-', '=', '$', '.']);
            let end = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
            let name = &name[..name.len() - end.len()];
            // A blank may have cut off the name.
            let is_cut = name.is_empty() && end.is_empty();
            let is_closed = !name.is_empty() && end.starts_with(['}', ')', ']', ':', '|', '%']);
            (is_cut || is_closed) && (at == 0 || count_word_chars(name) * 2 >= name.len())
        })
    })
}

/// Returns true for several settings, such as `a=1;b=2` and `{"a":1}`.
fn is_structure(value: &str) -> bool {
    const MIN_NAME_LEN: usize = 3;
    let settings = value.split([';', '&', ',', '{', '(', '[']).filter(|part| {
        let name = part.trim_start_matches(['"', '\'']);
        let end = name.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
        let n_bytes = name.len() - end.len();
        let is_linked = end.trim_start_matches(['"', '\'']).starts_with(['=', ':']);
        n_bytes >= MIN_NAME_LEN && is_linked && count_word_chars(&name[..n_bytes]) == n_bytes
    });
    settings.count() > 1
}

/// Counts the changes between capitals, small letters and digits within parts of letters and digits. A capital before small
/// letters and a number at the end of a part are usual in names.
fn count_changes(value: &str) -> usize {
    let is_change = |three: &[u8]| {
        let [first, second, third] = three else { return false };
        match (*first, *second) {
            (b'0'..=b'9', b'A'..=b'Z' | b'a'..=b'z') => true,
            (b'A'..=b'Z' | b'a'..=b'z', b'0'..=b'9') => third.is_ascii_alphabetic(),
            (b'a'..=b'z', b'A'..=b'Z') => !third.is_ascii_lowercase(),
            _ => false,
        }
    };
    let padded = [value.as_bytes(), b" "].concat();
    padded.windows(3).filter(|three| is_change(three)).count()
}

/// Counts the letters of words: at least three letters of a case, perhaps behind a capital, whose pairs are common.
fn count_word_chars(value: &str) -> usize {
    const MIN_LEN: usize = 3;
    let bytes = value.as_bytes();
    let begins = |at: usize| {
        let before = if at == 0 { b' ' } else { bytes[at - 1] };
        let after = bytes.get(at + 1).copied().unwrap_or(b' ');
        bytes[at].is_ascii_alphabetic()
            && (!before.is_ascii_alphabetic()
                || (bytes[at].is_ascii_uppercase() && (before.is_ascii_lowercase() || after.is_ascii_lowercase())))
    };
    let starts: Vec<usize> = (0..bytes.len()).filter(|at| begins(*at)).collect();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let words = starts.iter().zip(ends).map(|(start, end)| {
        let part = &value[*start..end];
        &part[..part.bytes().take_while(u8::is_ascii_alphabetic).count()]
    });
    let is_word = |word: &&str| {
        let (n_pairs, points) = count_pairs(word);
        word.len() >= MIN_LEN && points * 2 >= n_pairs as i32
    };
    words.filter(is_word).map(str::len).sum()
}

/// Counts the different marks that are rare between the words of code.
fn count_rare_marks(value: &str) -> usize {
    ['!', '#', '%', '^', '~', '`', '@', '\\', '+', '*', '?', ';', '|']
        .iter()
        .filter(|mark| value.contains(**mark))
        .count()
}

/// Counts the brackets and quotes that stand in no place of code: a letter or a digit directly behind a closing bracket, or on
/// both sides of a quote.
fn count_misplaced(value: &str) -> usize {
    let is_misplaced = |three: &[u8]| {
        let [before, mark, after] = three else { return false };
        let is_between = before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric();
        match *mark {
            b')' | b']' | b'}' => after.is_ascii_alphanumeric(),
            b'"' | b'\'' | b'`' | b'\\' | b'#' | b'@' | b'~' => is_between,
            _ => false,
        }
    };
    value.as_bytes().windows(3).filter(|three| is_misplaced(three)).count()
}

/// Returns true if each closing bracket follows its opening one.
fn is_balanced(value: &str) -> bool {
    let depths = [(b'(', b')'), (b'[', b']'), (b'{', b'}')].map(|(open, close)| {
        value.bytes().try_fold(0usize, |depth, byte| match byte {
            byte if byte == open => Some(depth + 1),
            byte if byte == close => depth.checked_sub(1),
            _ => Some(depth),
        })
    });
    depths.iter().all(|depth| *depth == Some(0))
}

fn count_kinds_of_marks(value: &str) -> usize {
    n_distinct(&value.replace(|c: char| c.is_ascii_alphanumeric(), ""))
}

fn n_distinct(value: &str) -> usize {
    let mut is_seen = [false; 128];
    value.bytes().filter(|byte| !std::mem::replace(&mut is_seen[usize::from(*byte & 127)], true)).count()
}

/// Returns true for a list, a map or a group, and for a value without marks in the quotes of a literal, or in the brackets of a
/// call or of markup, as in `["x"`, `value="x"` and `\texttt{x}`. Other rules find the value there.
fn is_enclosed(run: &str) -> bool {
    let run = run.trim_end_matches([',', ';', '.']);
    let in_brackets = [('[', ']'), ('{', '}'), ('(', ')'), ('<', '>')].iter().any(|(open, close)| {
        let Some((before, rest)) = run.split_once(*open) else { return false };
        let Some((content, after)) = rest.trim_start_matches(*open).split_once(*close) else { return false };
        let has_simple_content = content.trim_matches(QUOTES).bytes().all(is_bare) && after.chars().all(is_closing);
        let is_wrapper = !before.bytes().any(|byte| byte.is_ascii_digit()) && has_simple_content;
        is_wrapper || (before.is_empty() && run.ends_with(*close))
    });
    let literal = run.trim_end_matches(|c: char| (is_closing(c) || c == '/') && !QUOTES.contains(&c));
    let content = literal.trim_end_matches(QUOTES).trim_end_matches('\\');
    let opening = literal.chars().next_back().filter(|c| QUOTES.contains(c)).and_then(|quote| content.rfind(quote));
    let in_quotes = opening.is_some_and(|at| content[at..].trim_matches(QUOTES).bytes().all(is_bare));
    in_brackets || in_quotes || has_literal(run)
}

/// Returns true for a literal without marks between marks of code, as in `from("x".to_owned())`.
fn has_literal(run: &str) -> bool {
    const MIN_LITERAL_LEN: usize = 8;
    QUOTES.iter().any(|quote| {
        let mut parts = run.split(*quote);
        let (Some(before), Some(content), Some(after)) = (parts.next(), parts.next(), parts.next()) else {
            return false;
        };
        let is_opened = before.is_empty() || before.ends_with(['(', '[', '{', '=', ',', ':']);
        let is_closed = after.is_empty() || after.starts_with([')', ']', '}', ',', ';', ':', '.', '+', '|', '?']);
        is_opened && is_closed && content.len() >= MIN_LITERAL_LEN && content.bytes().all(is_bare)
    })
}

/// Returns the quote that is open before the value, on its line.
fn enclosing_quote(value: Reader<'_>) -> Option<u8> {
    const MAX_BYTES: usize = 160;
    let before = value.text_before(MAX_BYTES);
    let line = &before[before.rfind('\n').map_or(0, |feed| feed + 1)..];
    line.bytes()
        .fold((None, b' '), |(open, previous), byte| {
            let is_quote = matches!(byte, b'"' | b'\'' | b'`') && previous != b'\\';
            // An apostrophe follows a letter.
            let opens = byte != b'\'' || !previous.is_ascii_alphanumeric();
            let open = match open {
                Some(quote) if is_quote && quote == byte => None,
                None if is_quote && opens => Some(byte),
                open => open,
            };
            (open, byte)
        })
        .0
}

/// Returns the number of bytes before the quote, or before an escape that ends the line or the literal.
fn len_before_quote(run: &str, quote: u8) -> usize {
    let is_end = |at: &usize| {
        let rest = &run.as_bytes()[*at..];
        rest[0] == quote || (rest[0] == b'\\' && rest.get(1).is_some_and(|byte| b"nrt\"'".contains(byte)))
    };
    (0..run.len()).find(is_end).unwrap_or(run.len())
}

/// Returns the number of bytes before the next setting or the next element, as in `password=x;Encrypt=true`,
/// `password=x&page=2` and `password: x</b>`.
fn len_before_setting(run: &str) -> usize {
    const MIN_NAME_LEN: usize = 3;
    /// Of a name whose mark a blank has cut off, as in `password=x;User Id=sa`.
    const MIN_CUT_NAME_LEN: usize = 4;
    let is_end = |at: &usize| {
        let rest = &run[*at..];
        let next = &rest[1..];
        match rest.as_bytes()[0] {
            b';' | b'&' | b',' => {
                let end = next.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
                let name = &next[..next.len() - end.len()];
                let n_word_chars = count_word_chars(name);
                let is_of_case = |is_case: fn(&u8) -> bool| name.as_bytes().iter().all(is_case);
                let is_word = n_word_chars == name.len();
                let is_cut = rest.starts_with(';') && end.is_empty() && is_word && name.len() >= MIN_CUT_NAME_LEN;
                let is_set = end.starts_with('=')
                    && match name.len() {
                        0..MIN_NAME_LEN => false,
                        MIN_NAME_LEN => {
                            is_word && (is_of_case(u8::is_ascii_lowercase) || is_of_case(u8::is_ascii_uppercase))
                        }
                        _ => n_word_chars * 2 >= name.len(),
                    };
                is_cut || is_set
            }
            b'<' => is_tag(next),
            _ => false,
        }
    };
    (0..run.len()).find(is_end).unwrap_or(run.len())
}

/// Returns true for the rest of a closing tag or of a line break.
fn is_tag(rest: &str) -> bool {
    let closed = rest.strip_prefix('/').filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    let is_closing_tag = closed.is_some_and(|name| name.trim_start_matches(is_part).starts_with('>'));
    let line_break = ["br", "BR"].iter().find_map(|name| rest.strip_prefix(name));
    is_closing_tag || line_break.is_some_and(|end| end.is_empty() || end.starts_with(['>', '/']))
}

/// Returns a value without the marks that close what encloses it.
fn trim_closings(run: &str) -> &str {
    run.trim_end_matches(is_closing)
}

fn is_closing(c: char) -> bool {
    matches!(c, ',' | ';' | ')' | ']' | '}' | '"' | '\'' | '`' | '>' | '.' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask_secrets;

    #[test]
    fn random_values_with_marks_of_code_are_masked() {
        for line in [
            "DB_PASSWORD=«bCR4BI(SyweNGcnFHRI»",
            "export API_TOKEN=«q8Zt[r2VxN4mWc7KpJ»",
            "  password: «x7#kQ(2v}T9<b&L4mZ»",
            "db.password=«hT9x'2mQ\"vR4sK7wB1»",
            "ENV DB_PASSWORD «hT9xL2{mQvR4sK7wB1»",
            "deploy --password «q8Zt;r2VxN4mWc7Kp» --now",
            "//npm.example.org/:_authToken=«q8Zt&r2VxN4mWc7Kp»",
            "echo \"API_TOKEN=«q8Zt$r2VxN4mWc7Kp»\" >> .env",
            "\"Server=db;Password=«SXAoZm#cdvGoJWsk1Cd»;Encrypt=True\"",
            "\"host=db password=«q8Zt<r2VxN4mWc7Kp» dbname=y\"",
            "printf \"password=«q8Zt(r2VxN4mWc7Kp»\\n\"",
            "DB_PASSWORD=«cNyHyo}omo7AcaOpiGO»",
            "DB_PASSWORD=«tpomlx<BpYcAfeUjbpz»",
            "DB_PASSWORD=«uuUl{h93#g2CFHG;H|D${)Fx»",
            "DB_PASSWORD=«wA[aa;Wio=I>7!QtmOQ!IoYdq!aX»",
            "DB_PASSWORD=«MA:}@7'q>`Y_&N^\"B!-1;}8»",
            "DB_PASSWORD=«ig4Blam#3pa-zElfN{uVeDIvTHz<\"L»",
            "DB_PASSWORD=«r;6[YPw;K8Ds!CW</M9Zoa0»",
            "echo \"TOKEN=«8o{`iNUDLR5!yra`@k}-`=I}5»\" >> .env",
            "<p>password: «bCR4BI(SyweNGcnFHRI»</p>",
            "DB_PASSWORD=«L'mQ=hE1Otx{][EoR~(7.geH1aE'1Wjb»",
            "  password: «v2[o1c=\"Q40ufuC()up`\"Mw»",
            "- name: TOKEN\n  value: «q[pc!JER,,0DI1x?+~\"C]z6e8l»",
        ] {
            let (before, rest) = line.split_once('«').unwrap();
            let (_, after) = rest.split_once('»').unwrap();
            assert_eq!(mask_secrets(&line.replace(['«', '»'], "")), format!("{before}[masked]{after}"));
        }
    }

    #[test]
    fn code_templates_patterns_and_placeholders_are_kept() {
        for line in [
            "password = getPassword(user)",
            "password=hashlib.sha256(b64decode(raw)).hexdigest()",
            "TOKEN=$(vault read -field=token kv/app)",
            "TOKEN=`cat token.txt`",
            "KEY_TOKEN=${OTHER_TOKEN_2:-}",
            "token: string[]",
            "token: Option<[u8;32]>,",
            "token: HashMap<String,Vec<u8>>",
            "secret: ${{ secrets.X }}",
            "secret: {{.Values.auth.secretKey2}}",
            "password=<your-password-here>",
            "password: os.environ[\"DB_PASSWORD_2\"]",
            "password=user.profile['password'].encode('utf8')",
            "TOKEN=[A-Za-z0-9_\\-]{22,}",
            "token: /^(gh[pousr]_[A-Za-z0-9]{36})$/",
            "token=function(e,t){var",
            "password:e=>t(e)&&!n.isValid",
            "password:n?r(a):e[t],auth:i.b(0,x),o=1",
            "if(token===e[t]||secret!==n[r](o,i)){return",
            "password=*****&&&&*****&&&&*****",
            "tokens = [a[0],b[1],c[2],d[3],e[4]]",
            "password=Password1;user=sa;host=db",
            "auth: (req,res,next)=>next(),",
            "token=&tokens[i..i+n_bytes]",
            "{\"password\": {\"type\": \"string\"}}",
            "secret=%s&token=%s&user=%d",
            "password = self.vault[\"db\"](user, 2)",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }

    #[test]
    fn evidence_of_randomness_is_weighed() {
        for (value, whole, cut) in [
            ("bCR4BI(SyweNGcnFHRI", true, true),
            ("a7(K#d;L$2{w>Qp&X9c", true, false),
            ("getPassword(user)[0]", false, false),
            ("bytes[20].to_vec()?", false, false),
            ("crypto.sha256(k1,k2)", false, false),
            ("q8Zt(r2VxN4mWc", false, false),
            ("a=1;b=2;c=3;d=4;e=5", false, false),
        ] {
            assert_eq!((is_random_run(value, true), is_random_run(value, false)), (whole, cut), "{value}");
        }
    }
}
