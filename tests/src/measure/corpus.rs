//! Corpora of repositories: existing folders, or generated ones.
//!
//! Generated repositories resemble those of one organisation: some words occur everywhere, some in the repositories of
//! one domain, and most in one repository only.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use crate::repository::Repository;

use super::draw::Draw;

const FILES_PER_REPOSITORY: usize = 12;
const FUNCTIONS_PER_FILE: usize = 9;

/// Number of domains; repositories of one domain share words.
const N_DOMAINS: usize = 25;
const WORDS_PER_DOMAIN: usize = 150;

/// Number of words per repository.
const OWN_WORDS: usize = 220;

/// Of a hundred words, how many are common, and how many are common or of the domain.
const COMMON_SHARE: usize = 40;
const DOMAIN_SHARE: usize = 60;

/// Common words, most frequent first.
const COMMON: &str = "\
    get set value name list read write error new item key data file path string number config option default check \
    update parse input output state open close request response connection retry empty find add remove count index \
    type convert text start stop handle client server load store cache event message send user time limit size \
    first last next result build format line token node tree table row column filter sort merge split match test \
    version create delete query task queue worker thread lock map group batch page log trace metric buffer stream \
    byte encode decode hash verify access policy";

const ONSETS: &str = "b br c d dr f fl g gl h k l m n p pl qu r s st t tr v w z";
const RIMES: &str = "a an ar e el en er i il in o ol on or u um un ush";

/// Returns the folders directly below folders, up to `count`.
pub fn below(folders: &[PathBuf], count: usize) -> Vec<PathBuf> {
    let list = |folder: &PathBuf| {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut found: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        found.sort();
        found
    };
    folders.iter().flat_map(list).take(count).collect()
}

/// Creates repositories below `root`, each with one commit.
pub fn make(root: &Path, count: usize) -> Vec<PathBuf> {
    let common: Vec<&str> = COMMON.split_whitespace().collect();
    let domains: Vec<Vec<String>> =
        (0..N_DOMAINS).map(|domain| words(1_000 + domain as u64, WORDS_PER_DOMAIN)).collect();
    let make = |repository_idx: usize| {
        let seed = 10_000 + repository_idx as u64;
        let vocabulary =
            Vocabulary { common: &common, domain: &domains[repository_idx % N_DOMAINS], own: words(seed, OWN_WORDS) };
        let path = root.join(format!("{}-{repository_idx:03}", vocabulary.own[0]));
        let repository = Repository::init(&path);
        let mut draw = Draw::new(seed);
        for file_idx in 0..FILES_PER_REPOSITORY {
            let (file, text) = file(file_idx, &vocabulary, &mut draw);
            repository.write(file, text);
        }
        repository.write("README.md", format!("# {}\n\n{}\n", vocabulary.own[0], vocabulary.sentence(30, &mut draw)));
        repository.commit(&vocabulary.sentence(6, &mut draw));
        path
    };
    (0..count).map(make).collect()
}

struct Vocabulary<'a> {
    common: &'a [&'a str],
    domain: &'a [String],
    own: Vec<String>,
}

impl Vocabulary<'_> {
    fn word(&self, draw: &mut Draw) -> &str {
        match draw.below(100) {
            n if n < COMMON_SHARE => self.common[draw.favouring_first(self.common.len())],
            n if n < DOMAIN_SHARE => &self.domain[draw.favouring_first(self.domain.len())],
            _ => &self.own[draw.favouring_first(self.own.len())],
        }
    }

    fn words(&self, n: usize, draw: &mut Draw) -> Vec<&str> {
        (0..n).map(|_| self.word(draw)).collect()
    }

    fn sentence(&self, n: usize, draw: &mut Draw) -> String {
        self.words(n, draw).join(" ")
    }
}

/// Returns words that are unique with high probability.
fn words(seed: u64, n: usize) -> Vec<String> {
    let mut draw = Draw::new(seed);
    let onsets: Vec<&str> = ONSETS.split_whitespace().collect();
    let rimes: Vec<&str> = RIMES.split_whitespace().collect();
    let mut word = || {
        let syllables = 2 + draw.below(3);
        (0..syllables).map(|_| format!("{}{}", draw.one(&onsets), draw.one(&rimes))).collect()
    };
    (0..n).map(|_| word()).collect()
}

/// Returns path and text of a file in one of three languages.
fn file(file_idx: usize, vocabulary: &Vocabulary<'_>, draw: &mut Draw) -> (String, String) {
    let name = vocabulary.words(2, draw).join("_");
    let folder = vocabulary.word(draw).to_owned();
    let mut text = String::new();
    for _ in 0..FUNCTIONS_PER_FILE {
        let doc_words = 5 + draw.below(8);
        let doc = vocabulary.sentence(doc_words, draw);
        let function = vocabulary.words(3, draw);
        let locals: Vec<String> = (0..8).map(|_| vocabulary.words(2, draw).join("_")).collect();
        match file_idx % 3 {
            0 => python(&mut text, &doc, &function, &locals),
            1 => rust(&mut text, &doc, &function, &locals),
            _ => typescript(&mut text, &doc, &function, &locals),
        }
        .expect("in memory");
    }
    (format!("src/{folder}/{file_idx}_{name}.{}", ["py", "rs", "ts"][file_idx % 3]), text)
}

fn python(text: &mut String, doc: &str, function: &[&str], locals: &[String]) -> std::fmt::Result {
    writeln!(text, "# {doc}\ndef {}({}, {}):", function.join("_"), locals[0], locals[1])?;
    for pair in locals.windows(2) {
        writeln!(text, "    {} = {}({})", pair[1], function[0], pair[0])?;
    }
    writeln!(text, "    return {}\n", locals[locals.len() - 1])
}

fn rust(text: &mut String, doc: &str, function: &[&str], locals: &[String]) -> std::fmt::Result {
    writeln!(text, "/// {doc}\npub fn {}({}: u64) -> u64 {{", function.join("_"), locals[0])?;
    for pair in locals.windows(2) {
        writeln!(text, "    let {} = {}({});", pair[1], function[0], pair[0])?;
    }
    writeln!(text, "    {}\n}}\n", locals[locals.len() - 1])
}

fn typescript(text: &mut String, doc: &str, function: &[&str], locals: &[String]) -> std::fmt::Result {
    let camel = |words: &str| {
        let mut parts = words.split('_');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |name, part| name + &part[..1].to_uppercase() + &part[1..])
    };
    writeln!(
        text,
        "// {doc}\nexport function {}({}: number): number {{",
        camel(&function.join("_")),
        camel(&locals[0])
    )?;
    for pair in locals.windows(2) {
        writeln!(text, "  const {} = {}({});", camel(&pair[1]), function[0], camel(&pair[0]))?;
    }
    writeln!(text, "  return {};\n}}\n", camel(&locals[locals.len() - 1]))
}
