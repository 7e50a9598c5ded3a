//! Tables of file and folder names by class. All are lower case unless case matters.

/// Folders that contain copies of other projects, at any depth.
pub(super) const VENDOR_FOLDERS: &[&str] = &[
    "3rdparty",
    "3rd_party",
    "_vendor",
    "_vendored",
    "bower_components",
    "bundled",
    "carthage",
    "node_modules",
    "pods",
    "third-party",
    "third_party",
    "thirdparty",
    "vendor",
    "vendored",
];

/// Folders that contain copies of other projects if they are top-level; each project has a subfolder.
pub(super) const VENDOR_ROOTS: &[&str] = &["contrib-libs", "deps", "extern", "external", "subprojects"];

pub(super) const LOCK_FILES: &[&str] = &[
    "cargo.lock",
    "composer.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.resolved",
    "packages.lock.json",
    "pdm.lock",
    "pipfile.lock",
    "pnpm-lock.yaml",
    "podfile.lock",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
    "bun.lock",
    "deno.lock",
];

pub(super) const GENERATED_EXTENSIONS: &[&str] =
    &["asc", "crt", "lock", "map", "md5", "pem", "prebuilt", "sha256", "sha512", "sig", "svg", "tsbuildinfo"];

pub(super) const GENERATED_SUFFIXES: &[&str] = &[
    ".bundle.js",
    ".designer.cs",
    ".freezed.dart",
    ".g.cs",
    ".g.dart",
    ".gen.go",
    ".generated.cs",
    ".generated.go",
    ".generated.ts",
    ".min.css",
    ".min.js",
    ".min.mjs",
    ".pb.cc",
    ".pb.go",
    ".pb.gw.go",
    ".pb.h",
    ".pb.swift",
    ".pb.validate.go",
    ".pb.rs",
    "_generated.go",
    "_generated.rs",
    "_grpc.pb.go",
    "_pb.d.ts",
    "_pb.js",
    "_pb.ts",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
    "_string.go",
    ".pbobjc.m",
    ".pbobjc.h",
];

/// Folders of generated files. `single_include` contains the headers of `include` joined into one.
pub(super) const GENERATED_FOLDERS: &[&str] =
    &["__generated__", "generated-sources", "gen-src", "single_include", "zz_generated"];

/// Folders that contain bundles if their files have a web extension.
pub(super) const BUNDLE_FOLDERS: &[&str] = &["dist"];

pub(super) const WEB_EXTENSIONS: &[&str] = &["cjs", "css", "html", "js", "json", "mjs", "ts"];

/// Manifests: files that declare a package and its dependencies.
pub(super) const MANIFESTS: &[&str] = &[
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "cargo.toml",
    "composer.json",
    "gemfile",
    "go.mod",
    "go.work",
    "mix.exs",
    "package.json",
    "package.swift",
    "pipfile",
    "pom.xml",
    "pubspec.yaml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
];

/// Names of prose files, with or without an extension.
pub(super) const DOCUMENT_NAMES: &[&str] = &[
    "authors",
    "bugs",
    "changelog",
    "changes",
    "code_of_conduct",
    "contributing",
    "contributors",
    "copying",
    "copyright",
    "credits",
    "faq",
    "history",
    "install",
    "licence",
    "license",
    "maintainers",
    "news",
    "notice",
    "patents",
    "readme",
    "releases",
    "roadmap",
    "security",
    "thanks",
    "todo",
    "unlicense",
];

pub(super) const PROSE_EXTENSIONS: &[&str] = &[
    "adoc", "asciidoc", "ipynb", "markdown", "md", "mdx", "org", "pod", "rdoc", "rst", "tex", "texi", "textile", "txt",
    "wiki",
];

/// Extensions of web pages. They are prose in documentation folders, and templates of the product elsewhere.
pub(super) const PAGE_EXTENSIONS: &[&str] = &["htm", "html", "css", "scss"];

pub(super) const DOCS_FOLDERS: &[&str] = &["docs", "documentation"];

/// Documentation folders if they are top-level. Deeper folders with these names are packages.
pub(super) const DOCS_ROOTS: &[&str] = &["doc", "docs_src", "man", "manual"];

pub(super) const TEST_FOLDERS: &[&str] = &[
    "__mocks__",
    "__tests__",
    "acceptance",
    "androidtest",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "benchsuite",
    "e2e",
    "fuzz",
    "fuzzing",
    "integration-tests",
    "integrationtest",
    "test",
    "test-utils",
    "testkit",
    "tests",
    "testsuite",
    "unittest",
    "unittests",
];

/// Folders of test input, of any file type.
pub(super) const FIXTURE_FOLDERS: &[&str] = &[
    "__fixtures__",
    "__snapshots__",
    "fixture",
    "fixtures",
    "golden",
    "goldens",
    "snapshots",
    "test-data",
    "test-fixtures",
    "test_data",
    "test_files",
    "testdata",
    "testfiles",
];

pub(super) const EXAMPLE_FOLDERS: &[&str] =
    &["_example", "_examples", "demo", "demos", "example", "examples", "sample", "samples", "snippets"];

/// Test folders of languages whose tests are called specs. Elsewhere a spec is a specification.
pub(super) const SPEC_FOLDERS: &[&str] = &["spec", "specs"];

pub(super) const SPEC_EXTENSIONS: &[&str] = &["coffee", "ex", "exs", "js", "jsx", "lua", "php", "rb", "ts", "tsx"];

/// First parts of a reversed domain. An `example` folder below them is a package of the product.
pub(super) const PACKAGE_ROOTS: &[&str] = &["com", "io", "net", "org"];

pub(super) const TEST_EXTENSIONS: &[&str] = &["snap"];

pub(super) const TEST_STEMS: &[&str] = &["bench", "benches", "benchmark", "conftest", "test", "tests"];

pub(super) const TEST_STEM_STARTS: &[&str] = &["bench_", "benchmark_", "test_", "test-"];

pub(super) const TEST_STEM_ENDS: &[&str] = &[
    "-spec",
    "-test",
    "-tests",
    ".bench",
    ".e2e",
    ".spec",
    ".stories",
    ".test",
    ".tests",
    "_bench",
    "_benchmark",
    "_spec",
    "_test",
    "_tests",
    "_unittest",
];

/// Extensions of languages whose files are named after their class.
pub(super) const CLASS_EXTENSIONS: &[&str] = &["cs", "groovy", "java", "kt", "m", "php", "scala", "swift"];

/// Suffixes of test class names.
pub(super) const TEST_CLASS_ENDS: &[&str] = &["Benchmark", "IT", "Spec", "Suite", "Test", "TestCase", "Tests"];

pub(super) const CONFIG_NAMES: &[&str] = &[
    "brewfile",
    "build",
    "build.bazel",
    "caddyfile",
    "cmakelists.txt",
    "codeowners",
    "configure.ac",
    "containerfile",
    "dockerfile",
    "earthfile",
    "gnumakefile",
    "go.mod",
    "gruntfile.js",
    "gulpfile.js",
    "jenkinsfile",
    "justfile",
    "makefile",
    "makefile.am",
    "manifest.in",
    "meson.build",
    "meson_options.txt",
    "module.bazel",
    "noxfile.py",
    "owners",
    "podfile",
    "procfile",
    "rakefile",
    "robots.txt",
    "runtime.txt",
    "tiltfile",
    "vagrantfile",
    "vcpkg.json",
    "version",
    "workspace",
    "constraints.txt",
];

/// Folders of Python requirement files.
pub(super) const REQUIREMENTS_FOLDERS: &[&str] = &["requirements"];

pub(super) const CONFIG_PREFIXES: &[&str] =
    &["dockerfile.", "makefile.", "requirements.", "requirements-", "requirements_"];

pub(super) const CONFIG_SUFFIXES: &[&str] = &[
    ".config.cjs",
    ".config.js",
    ".config.mjs",
    ".config.mts",
    ".config.ts",
    ".dockerfile",
    "-requirements.txt",
    "rc.cjs",
    "rc.js",
];

pub(super) const CONFIG_EXTENSIONS: &[&str] = &[
    "bazel",
    "bzl",
    "cfg",
    "cmake",
    "conf",
    "config",
    "csproj",
    "csv",
    "desktop",
    "editorconfig",
    "env",
    "fsproj",
    "geojson",
    "gradle",
    "in",
    "ini",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "m4",
    "mk",
    "cff",
    "spec",
    "typed",
    "ndjson",
    "nix",
    "pc",
    "plist",
    "properties",
    "props",
    "service",
    "sln",
    "targets",
    "tf.json",
    "tfvars",
    "toml",
    "tsv",
    "vcxproj",
    "xml",
    "yaml",
    "yml",
];

pub(super) const BINARY_EXTENSIONS: &[&str] = &[
    "7z",
    "a",
    "aac",
    "avi",
    "avif",
    "bin",
    "bmp",
    "br",
    "bz2",
    "class",
    "dat",
    "db",
    "deb",
    "dll",
    "dmg",
    "doc",
    "docx",
    "dylib",
    "ear",
    "eot",
    "exe",
    "flac",
    "gif",
    "gz",
    "heic",
    "icns",
    "ico",
    "jar",
    "jpeg",
    "jpg",
    "lib",
    "m4a",
    "mkv",
    "mov",
    "mp3",
    "mp4",
    "npy",
    "npz",
    "o",
    "obj",
    "odt",
    "ogg",
    "onnx",
    "otf",
    "parquet",
    "pdb",
    "pdf",
    "pkl",
    "png",
    "ppt",
    "pptx",
    "psd",
    "pyc",
    "pyd",
    "rar",
    "rpm",
    "safetensors",
    "so",
    "sqlite",
    "sqlite3",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttf",
    "war",
    "wasm",
    "wav",
    "webm",
    "webp",
    "whl",
    "woff",
    "woff2",
    "xls",
    "xlsx",
    "xz",
    "zip",
    "zst",
];
