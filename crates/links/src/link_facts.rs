//! Link facts: the part of a generation from which its uses of other repositories are resolved.
//!
//! They are the facts of all files in a language with type inference, without documentation, and the manifests. Files that
//! other repositories cannot reach are a section of their own, which a provider is read without. So are the uses in each file. The files of
//! a section are encoded in blocks, and an indexing run copies the blocks without changes (`blocks`).

mod blocks;
mod file_uses;

use graph::{Family, InterfaceHash, ManifestFile, is_manifest};
use model::{FileClass, FileFacts, Language};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    compiler_facts::CompilerFacts,
    contracts::{is_below_tests_or_examples, is_test_or_example},
    joint::ecosystem_of,
    manifests::DeclaredPackages,
    rules::LinkRules,
};
use blocks::{FilePlace, PreviousBlocks};

/// Version of the encoding. Other versions are not read.
const VERSION: u8 = 6;

/// Compression level of zstd, as for cached facts.
const LEVEL: i32 = 3;

/// Maximum size of a section before compression. A repository with more cannot be linked with others.
const MAX_SECTION_BYTES: usize = 2 << 30;

/// Length of the number of bytes before each section.
const LENGTH_BYTES: usize = 8;

/// The facts of one generation, as far as links between repositories depend on them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkFacts {
    /// The number of definitions of the generation: the node number of its first file.
    pub n_symbols: u32,
    /// Files in the order of the generation.
    pub files: Vec<LinkFactsFile>,
    /// Paths and texts of the manifests.
    pub manifests: Vec<(String, String)>,
    /// The answers of compilers.
    pub compiler: CompilerFacts,
    /// The tags of released versions that the commit contains.
    pub version_tags: Vec<String>,
}

/// The facts of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkFactsFile {
    /// The path in the repository.
    pub path: String,
    /// The number of the file in its generation.
    pub file_idx: u32,
    /// The node number of its first definition.
    pub first_symbol: u32,
    /// True for a copy of other people's code.
    pub is_vendored: bool,
    /// A hash of everything in the file that the resolution of other files can depend on.
    pub interface: InterfaceHash,
    /// The facts, without documentation.
    pub facts: FileFacts,
}

/// Why link facts cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LinkFactsError {
    /// The bytes are of another version.
    #[error("link facts have version {found}, but this program reads version {VERSION}")]
    Version {
        /// The version of the bytes.
        found: u8,
    },
    /// The bytes are damaged.
    #[error("link facts are damaged: {0}")]
    Damaged(&'static str),
}

impl LinkFacts {
    /// Returns the facts without the packages that this repository does not make by the rules of the user: without their files and
    /// manifests.
    pub fn by_rules(self, alias: &str, rules: &LinkRules) -> LinkFacts {
        if rules.makers().next().is_none() {
            return self;
        }
        let texts: Vec<ManifestFile<'_>> =
            self.manifests.iter().map(|(path, text)| ManifestFile { path, text }).collect();
        let declared = DeclaredPackages::new(&texts);
        let is_other = |package: &str| !rules.may_make(package, alias);
        let is_of_other = |file: &LinkFactsFile| {
            let java = format!("java:{}", file.facts.code.package);
            let of_manifest = ecosystem_of(&file.path).and_then(|ecosystem| declared.containing(&file.path, ecosystem));
            of_manifest.is_some_and(|(_, package)| is_other(&package.key)) || is_other(&java)
        };
        let has_other = rules.makers().any(|(package, maker)| maker != alias && declared.makes(package));
        let has_other_namespace = rules.makers().any(|(package, maker)| maker != alias && package.starts_with("java:"));
        if !has_other && !has_other_namespace {
            return self;
        }
        let makes_other = |path: &str| declared.made_by(path).any(|package| is_other(&package.key));
        let manifests = self.manifests.iter().filter(|(path, _)| !makes_other(path)).cloned().collect();
        let files = self.files.iter().filter(|file| !is_of_other(file)).cloned().collect();
        LinkFacts { files, manifests, ..self }
    }
}

impl LinkFactsFile {
    /// Returns the node number of a definition of this file.
    pub fn symbol(&self, index: u32) -> u32 {
        self.first_symbol + index
    }
}

/// A file of a generation, as [`encode`] takes it.
#[derive(Debug, Clone, Copy)]
pub struct FileToEncode<'a> {
    /// The path in the repository.
    pub path: &'a str,
    /// The class of the file.
    pub class: FileClass,
    /// All its facts.
    pub facts: &'a FileFacts,
    /// The hash of its interface.
    pub interface: InterfaceHash,
    /// True if the previous generation holds the file with the same facts.
    pub is_unchanged: bool,
}

/// Encodes the link facts of a generation. `files` are all files of the generation, in its order; `compiler` has the answers of compilers.
/// `previous` are the link facts of the generation that is extended, if there is one: what they have of unchanged files is copied.
/// Returns `None` if the facts are too large to be linked with other repositories.
pub fn encode<'a>(
    files: impl IntoIterator<Item = FileToEncode<'a>>,
    manifests: &[ManifestFile<'_>],
    compiler: &CompilerFacts,
    version_tags: &[String],
    previous: Option<&[u8]>,
) -> Option<Vec<u8>> {
    let (mut reachable, mut unreachable) = (Vec::new(), Vec::new());
    let mut first_symbol = 0;
    for (file_idx, FileToEncode { path, class, facts, interface, is_unchanged }) in (0..).zip(files) {
        let is_resolved = has_inference(facts.language) || compiler.file(file_idx).is_some();
        if is_resolved && !is_manifest(path) {
            let is_vendored = class == FileClass::Vendored;
            let place = FilePlace { path: path.to_owned(), file_idx, first_symbol, is_vendored, interface };
            let file = blocks::BlockFile { place, facts, is_unchanged };
            if is_reachable(path, class) { reachable.push(file) } else { unreachable.push(file) }
        }
        first_symbol += facts.definitions.len() as u32;
    }
    let manifests: Vec<(&str, &str)> = manifests.iter().map(|manifest| (manifest.path, manifest.text)).collect();
    let previous = previous.map(PreviousSections::read).unwrap_or_default();
    let reachable = blocks::encode(&reachable, &previous.reachable)?;
    let unreachable = blocks::encode(&unreachable, &previous.unreachable)?;
    let mut bytes = vec![VERSION];
    bytes.extend(first_symbol.to_le_bytes());
    let sections = [section(&manifests)?, reachable, unreachable, section(compiler)?, section(&version_tags)?];
    for section in sections {
        bytes.extend((section.len() as u64).to_le_bytes());
        bytes.extend(section);
    }
    Some(bytes)
}

/// The blocks of a generation that is extended.
#[derive(Default)]
struct PreviousSections<'a> {
    reachable: PreviousBlocks<'a>,
    unreachable: PreviousBlocks<'a>,
}

impl<'a> PreviousSections<'a> {
    /// Reads the blocks of link facts. Facts of another version have none.
    fn read(bytes: &'a [u8]) -> PreviousSections<'a> {
        let blocks = || {
            let Sections { reachable, unreachable, .. } = Sections::split(bytes)?;
            let (reachable, unreachable) = (PreviousBlocks::read(reachable)?, PreviousBlocks::read(unreachable)?);
            Ok::<_, LinkFactsError>(PreviousSections { reachable, unreachable })
        };
        blocks().unwrap_or_default()
    }
}

/// Decodes all facts, for the repository whose uses are resolved.
pub fn decode_importer(bytes: &[u8]) -> Result<LinkFacts, LinkFactsError> {
    let Sections { n_symbols, manifests, reachable, unreachable, compiler, version_tags } = Sections::split(bytes)?;
    let mut files = blocks::decode(reachable)?;
    files.extend(blocks::decode(unreachable)?);
    files.sort_by_key(|file| file.file_idx);
    Ok(LinkFacts {
        n_symbols,
        files,
        manifests: read_section(manifests)?,
        compiler: read_compiler(compiler)?,
        version_tags: read_section(version_tags)?,
    })
}

/// Decodes the facts that other repositories can reach, for a repository that is used.
pub fn decode_provider(bytes: &[u8]) -> Result<LinkFacts, LinkFactsError> {
    let Sections { n_symbols, manifests, reachable, compiler, version_tags, .. } = Sections::split(bytes)?;
    let mut manifests: Vec<(String, String)> = read_section(manifests)?;
    manifests.retain(|(path, _)| !is_test_or_example(path));
    // The uses within a provider are not followed.
    let compiler = CompilerFacts { files: Vec::new(), names: Vec::new(), ..read_compiler(compiler)? };
    let version_tags = read_section(version_tags)?;
    Ok(LinkFacts { n_symbols, files: blocks::decode_definitions(reachable)?, manifests, compiler, version_tags })
}

/// Returns the number of bytes of the facts of a provider before compression. Facts that repeat much are compressed to a small part of
/// it, but take the same memory as others.
pub fn provider_size(bytes: &[u8]) -> Result<usize, LinkFactsError> {
    blocks::decompressed_size(Sections::split(bytes)?.reachable)
}

fn read_compiler(section: &[u8]) -> Result<CompilerFacts, LinkFactsError> {
    let compiler: CompilerFacts = read_section(section)?;
    if compiler.is_consistent() { Ok(compiler) } else { Err(LinkFactsError::Damaged("a number of a symbol is wrong")) }
}

struct Sections<'a> {
    n_symbols: u32,
    manifests: &'a [u8],
    reachable: &'a [u8],
    unreachable: &'a [u8],
    compiler: &'a [u8],
    version_tags: &'a [u8],
}

impl<'a> Sections<'a> {
    fn split(bytes: &'a [u8]) -> Result<Sections<'a>, LinkFactsError> {
        let truncated = LinkFactsError::Damaged("they are truncated");
        let Some((&found, rest)) = bytes.split_first() else { return Err(truncated) };
        if found != VERSION {
            return Err(LinkFactsError::Version { found });
        }
        let Some((n_symbols, mut rest)) = rest.split_first_chunk() else { return Err(truncated) };
        let mut next = || {
            let (length, body) = rest.split_first_chunk::<LENGTH_BYTES>()?;
            let (section, after) = body.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            rest = after;
            Some(section)
        };
        match (next(), next(), next(), next(), next()) {
            (Some(manifests), Some(reachable), Some(unreachable), Some(compiler), Some(version_tags)) => {
                let n_symbols = u32::from_le_bytes(*n_symbols);
                Ok(Sections { n_symbols, manifests, reachable, unreachable, compiler, version_tags })
            }
            _ => Err(truncated),
        }
    }
}

/// Returns true if calls in files of a language are resolved by type.
pub(crate) fn has_inference(language: Language) -> bool {
    Family::of(language) != Family::Other
}

/// Returns true if other repositories may use the definitions of a file. A module that is named like a test, such as `test.py`, may be
/// a part of its package. Go builds every folder for others, whatever its name, but no file of tests.
fn is_reachable(path: &str, class: FileClass) -> bool {
    let is_test = match path.ends_with(".go") {
        true => path.ends_with("_test.go"),
        false => is_below_tests_or_examples(path),
    };
    class != FileClass::Vendored && !is_test
}

/// Encodes a value: its length, and its compressed bytes.
pub(crate) fn section<T: Serialize>(value: &T) -> Option<Vec<u8>> {
    let bytes = postcard::to_stdvec(value).ok().filter(|bytes| bytes.len() <= MAX_SECTION_BYTES)?;
    let packed = zstd::bulk::compress(&bytes, LEVEL).ok()?;
    Some([&(bytes.len() as u64).to_le_bytes()[..], &packed].concat())
}

/// Splits a value of [`section`] into its length before compression and its compressed bytes.
fn split_section(section: &[u8]) -> Result<(usize, &[u8]), LinkFactsError> {
    let damaged = |reason| LinkFactsError::Damaged(reason);
    let (length, packed) = section.split_first_chunk::<LENGTH_BYTES>().ok_or(damaged("a section is truncated"))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok().filter(|length| *length <= MAX_SECTION_BYTES);
    Ok((length.ok_or(damaged("a section is too long"))?, packed))
}

/// Decodes a value of [`section`].
pub(crate) fn read_section<T: DeserializeOwned>(section: &[u8]) -> Result<T, LinkFactsError> {
    let damaged = |reason| LinkFactsError::Damaged(reason);
    let (length, packed) = split_section(section)?;
    let bytes = zstd::bulk::decompress(packed, length).map_err(|_| damaged("a section cannot be decompressed"))?;
    postcard::from_bytes(&bytes).map_err(|_| damaged("a section has another form"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::LinkRulesSettings;

    fn encoded() -> Vec<u8> {
        let [code, test] = ["def f():\n    \"Doc.\"\n    g()\n", "def test_f():\n    f()\n"]
            .map(|text| syntax::extract(Language::Python, text.as_bytes()));
        let notes = syntax::extract(Language::Markdown, b"# One\n");
        let files = [
            ("README.md", FileClass::Docs, &notes),
            ("a.py", FileClass::Source, &code),
            ("test.py", FileClass::Test, &test),
            ("tests/test_a.py", FileClass::Test, &test),
        ];
        let manifests = [("pyproject.toml", "[project]"), ("tests/pyproject.toml", "[project]")];
        let manifests = manifests.map(|(path, text)| ManifestFile { path, text });
        let files = files.map(|(path, class, facts)| {
            let interface = graph::interface_hash(facts);
            FileToEncode { path, class, facts, interface, is_unchanged: false }
        });
        encode(files, &manifests, &CompilerFacts::default(), &[], None).expect("few bytes")
    }

    #[test]
    fn a_provider_has_no_tests() {
        let show = |facts: &LinkFacts| {
            let files: Vec<(String, u32, u32)> =
                facts.files.iter().map(|file| (file.path.clone(), file.file_idx, file.first_symbol)).collect();
            (facts.n_symbols, files, facts.manifests.len())
        };
        let (importer, provider) = (decode_importer(&encoded()).unwrap(), decode_provider(&encoded()).unwrap());
        let code = ("a.py".to_owned(), 1, 1);
        let module = ("test.py".to_owned(), 2, 2);
        let test = ("tests/test_a.py".to_owned(), 3, 3);
        assert_eq!(show(&importer), (4, vec![code.clone(), module.clone(), test], 2));
        assert_eq!(show(&provider), (4, vec![code, module], 1));
        assert_eq!(importer.files[0].facts.definitions[0].doc, "");
        let size = provider_size(&encoded()).unwrap();
        assert!((1..10_000).contains(&size), "{size}");
        assert!(provider_size(&encoded()[..20]).is_err());
    }

    #[test]
    fn rules_take_packages_from_a_repository() {
        let settings =
            LinkRulesSettings { made_by: [("npm:kit".to_owned(), "kit".to_owned())].into(), ..Default::default() };
        let rules = LinkRules::new(settings).unwrap();
        let facts = syntax::extract(Language::JavaScript, b"export function f() {}\n");
        let file = |path: &str| LinkFactsFile {
            path: path.to_owned(),
            file_idx: 0,
            first_symbol: 0,
            is_vendored: false,
            interface: graph::interface_hash(&facts),
            facts: facts.clone(),
        };
        let manifest =
            |folder: &str, name: &str| (format!("{folder}/package.json"), format!("{{\"name\": \"{name}\"}}"));
        let whole = LinkFacts {
            n_symbols: 2,
            files: vec![file("a/x.js"), file("b/y.js")],
            manifests: vec![manifest("a", "kit"), manifest("b", "other")],
            ..LinkFacts::default()
        };
        assert_eq!(whole.clone().by_rules("kit", &rules), whole);
        let of_fork = whole.clone().by_rules("fork", &rules);
        assert_eq!((of_fork.files, of_fork.manifests), (whole.files[1..].to_vec(), whole.manifests[1..].to_vec()));
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        let bytes = encoded();
        for length in 0..bytes.len() {
            assert!(decode_importer(&bytes[..length]).is_err(), "{length}");
        }
        let other = [&[9], &bytes[1..]].concat();
        assert!(matches!(decode_importer(&other), Err(LinkFactsError::Version { found: 9 })));
        let mut huge = bytes.clone();
        huge[13..21].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(decode_provider(&huge), Err(LinkFactsError::Damaged(_))));
    }

    #[test]
    fn files_that_others_can_build_are_reachable() {
        for (path, expected) in [
            ("core/test/peer.go", true),
            ("core/peer_test.go", false),
            ("src/pkg/test.py", true),
            ("tests/test_a.py", false),
            ("src/test/java/a/A.java", false),
        ] {
            assert_eq!(is_reachable(path, FileClass::Test), expected, "{path}");
        }
        assert!(!is_reachable("vendor/a/a.go", FileClass::Vendored));
    }
}
