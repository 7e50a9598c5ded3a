//! Classifies files: first by path, so that a listing reads no content; then corrected by content.
//!
//! The rules are ordered from more to less certain. If two match, the class that says less about the product wins: a test
//! among vendored files is vendored, since it does not test this repository.

mod content;
mod words;

use model::{FileClass, Language};

pub use content::is_text;

use words::*;

/// Returns the class of a file by its path and the beginning of its content.
pub fn classify(path: &str, content: &[u8]) -> FileClass {
    refine(classify_path(path), path, content)
}

/// Returns the class of a file by its path alone.
pub fn classify_path(path: &str) -> FileClass {
    let path = PathParts::new(path);
    if is_one_of(path.extension(), BINARY_EXTENSIONS) {
        FileClass::Binary
    } else if is_vendored(&path) {
        FileClass::Vendored
    } else if is_generated(&path) {
        FileClass::Generated
    } else if is_manifest(&path) {
        FileClass::Config
    } else if is_document(&path) {
        FileClass::Docs
    } else if is_test(&path) {
        FileClass::Test
    } else if is_config(&path) {
        FileClass::Config
    } else if is_prose(&path) {
        FileClass::Docs
    } else if is_below_docs(&path) {
        // Code among documentation is an example, like code in `examples/`.
        FileClass::Test
    } else {
        FileClass::Source
    }
}

/// Corrects a class by the content of the file. The first 8 KiB are sufficient.
pub fn refine(class: FileClass, path: &str, content: &[u8]) -> FileClass {
    if !is_text(content) {
        FileClass::Binary
    } else if class == FileClass::Source && content::is_generated(PathParts::new(path).extension(), content) {
        FileClass::Generated
    } else {
        class
    }
}

/// A path split into the parts that the rules examine.
struct PathParts<'a> {
    path: &'a str,
    folders: Vec<&'a str>,
    /// The folders in lower case.
    lower_folders: Vec<String>,
    name: &'a str,
    lower_name: String,
}

impl<'a> PathParts<'a> {
    fn new(path: &'a str) -> PathParts<'a> {
        let mut folders: Vec<&str> = path.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        let lower_folders = folders.iter().map(|folder| folder.to_ascii_lowercase()).collect();
        PathParts { path, folders, lower_folders, name, lower_name: name.to_ascii_lowercase() }
    }

    /// The lower-case extension; empty for a name without one and for a hidden name such as `.gitignore`.
    fn extension(&self) -> &str {
        match self.lower_name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension,
            _ => "",
        }
    }

    /// The name before its last dot, in its original case.
    fn stem(&self) -> &'a str {
        self.name.rsplit_once('.').map_or(self.name, |(stem, _)| stem)
    }

    fn is_below(&self, folders: &[&str]) -> bool {
        self.lower_folders.iter().any(|folder| is_one_of(folder, folders))
    }

    fn is_below_first(&self, folders: &[&str]) -> bool {
        self.lower_folders.first().is_some_and(|first| is_one_of(first, folders))
    }

    fn is_code(&self) -> bool {
        !matches!(Language::of_path(self.path), Language::Text | Language::Markdown)
    }
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.contains(&word)
}

fn is_vendored(path: &PathParts) -> bool {
    // `deps/lua/lua.c` belongs to another project; `deps/solve.c` is code about dependencies.
    path.is_below(VENDOR_FOLDERS) || (path.is_below_first(VENDOR_ROOTS) && path.folders.len() > 1)
}

fn is_generated(path: &PathParts) -> bool {
    is_one_of(&path.lower_name, LOCK_FILES)
        || is_one_of(path.extension(), GENERATED_EXTENSIONS)
        || GENERATED_SUFFIXES.iter().any(|suffix| path.lower_name.ends_with(suffix))
        || path.is_below(GENERATED_FOLDERS)
        || (path.is_below(BUNDLE_FOLDERS) && is_one_of(path.extension(), WEB_EXTENSIONS))
}

/// A manifest is recognised in all folders except fixtures.
fn is_manifest(path: &PathParts) -> bool {
    is_one_of(&path.lower_name, MANIFESTS) && !path.is_below(FIXTURE_FOLDERS)
}

/// A document is recognised by its name in all folders except fixtures; among examples, any prose page is a document.
fn is_document(path: &PathParts) -> bool {
    if path.is_below(FIXTURE_FOLDERS) || path.is_code() {
        return false;
    }
    let is_data = is_one_of(path.extension(), CONFIG_EXTENSIONS) || is_one_of(path.extension(), PAGE_EXTENSIONS);
    let is_named = DOCUMENT_NAMES.iter().any(|name| {
        let rest = path.lower_name.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
    });
    (is_named && !is_data) || (is_prose(path) && path.is_below(EXAMPLE_FOLDERS))
}

fn is_test(path: &PathParts) -> bool {
    is_below_tests(path) || is_test_name(path)
}

fn is_below_tests(path: &PathParts) -> bool {
    // Maven and Gradle keep the product in `src/main`, even if a package there is called `test`.
    let is_main = path.lower_folders.windows(2).any(|pair| pair[0] == "src" && pair[1] == "main");
    let is_spec = is_one_of(path.extension(), SPEC_EXTENSIONS) && path.is_below(SPEC_FOLDERS);
    let is_package = |idx: usize| idx > 0 && is_one_of(&path.lower_folders[idx - 1], PACKAGE_ROOTS);
    let folders = path.lower_folders.iter().zip(&path.folders).enumerate();
    let mut named = folders.filter(|(idx, _)| !is_package(*idx)).map(|(_, names)| names);
    is_spec || (!is_main && named.any(|(lower, folder)| is_test_folder(lower, folder)))
}

fn is_test_folder(lower: &str, folder: &str) -> bool {
    is_one_of(lower, TEST_FOLDERS)
        || is_one_of(lower, FIXTURE_FOLDERS)
        || is_one_of(lower, EXAMPLE_FOLDERS)
        || ["_test", "_tests", "-test", "-tests"].iter().any(|suffix| lower.ends_with(suffix))
        || ends_in_word(folder, &["Test", "Tests"])
}

fn is_test_name(path: &PathParts) -> bool {
    if !path.is_code() && path.extension() != "snap" {
        return false;
    }
    let stem = path.stem();
    let lower = stem.to_ascii_lowercase();
    is_one_of(path.extension(), TEST_EXTENSIONS)
        || is_one_of(&lower, TEST_STEMS)
        || TEST_STEM_ENDS.iter().any(|end| lower.ends_with(end))
        || TEST_STEM_STARTS.iter().any(|start| lower.starts_with(start))
        || (is_one_of(path.extension(), CLASS_EXTENSIONS) && ends_in_word(stem, TEST_CLASS_ENDS))
}

/// Returns true if a name in camel case, or with dots, ends with one of these words: `ParserTest`, but not `Latest`.
fn ends_in_word(name: &str, words: &[&str]) -> bool {
    words
        .iter()
        .filter_map(|word| name.strip_suffix(word))
        .any(|before| before.ends_with(|last: char| last.is_lowercase() || last.is_ascii_digit() || last == '.'))
}

fn is_config(path: &PathParts) -> bool {
    is_one_of(&path.lower_name, CONFIG_NAMES)
        || is_one_of(path.extension(), CONFIG_EXTENSIONS)
        || CONFIG_PREFIXES.iter().any(|prefix| path.lower_name.starts_with(prefix))
        || CONFIG_SUFFIXES.iter().any(|suffix| path.lower_name.ends_with(suffix))
        || (path.extension() == "txt" && path.is_below(REQUIREMENTS_FOLDERS))
        || (path.name.starts_with('.') && !path.is_code())
}

fn is_prose(path: &PathParts) -> bool {
    let is_manual = path.extension().len() == 1 && path.extension().bytes().all(|b| (b'1'..=b'9').contains(&b));
    let is_page = is_below_docs(path) && is_one_of(path.extension(), PAGE_EXTENSIONS);
    is_one_of(path.extension(), PROSE_EXTENSIONS) && !is_one_of(&path.lower_name, CONFIG_NAMES) || is_manual || is_page
}

fn is_below_docs(path: &PathParts) -> bool {
    path.is_below(DOCS_FOLDERS) || path.is_below_first(DOCS_ROOTS)
}

#[cfg(test)]
mod tests;
