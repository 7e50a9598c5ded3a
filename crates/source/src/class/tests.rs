use model::FileClass::{self, *};

use super::{classify, classify_path};

fn check(expected: FileClass, paths: &[&str]) {
    for path in paths {
        assert_eq!(classify_path(path), expected, "{path}");
    }
}

#[test]
fn source_is_the_default_class() {
    check(
        Source,
        &[
            "src/lib.rs",
            "src/flask/testing.py",
            "src/latest.ts",
            "src/main/java/com/example/App.java",
            "app/com/example/App.kt",
            "spring-test/src/main/java/org/spring/test/Context.java",
            "src/Manifest.java",
            "lib/contest.rb",
            "pkg/spec/types.go",
            "pkg/doc/parse.go",
            "deps/solve.c",
            "src/deps/graph/walk.rs",
            "templates/index.html",
            "main.tf",
            "api/v1/shard.proto",
            "schema.sql",
            "src/build.rs",
            "bin/run",
            "include/json/json.hpp",
            "src/attestation.go",
        ],
    );
}

#[test]
fn tests_examples_and_fixtures_are_tests() {
    check(
        Test,
        &[
            "tests/api.rs",
            "src/tests.rs",
            "src/parser/tests/cases.rs",
            "benches/merge.rs",
            "benchmarks/run.py",
            "examples/hello.rs",
            "examples/app/config.yaml",
            "pkg/server_test.go",
            "pkg/testdata/in.json",
            "pkg/testdata/readme.md",
            "tests/data/a.txt",
            "test_views.py",
            "conftest.py",
            "web/src/app.spec.ts",
            "web/src/app.test.tsx",
            "web/src/__tests__/app.js",
            "web/src/__snapshots__/app.js.snap",
            "src/snapshots/out.snap",
            "spec/models/user_spec.rb",
            "spec/factories.rb",
            "gson/src/test/java/com/google/Foo.java",
            "app/src/ParserTest.java",
            "app/src/ParserTests.cs",
            "app/src/FlowSuite.scala",
            "src/MyLib.Tests/Foo.cs",
            "Tests/AppTests/Foo.swift",
            "src/queue_unittest.cc",
            "fuzz/fuzz_targets/parse.rs",
            "fixtures/Cargo.toml",
            "docs/snippets.py",
            "docs/conf.py",
        ],
    );
}

#[test]
fn generated_files_are_recognised() {
    check(
        Generated,
        &[
            "Cargo.lock",
            "web/package-lock.json",
            "go.sum",
            "poetry.lock",
            "api/shard.pb.go",
            "api/shard_pb2.py",
            "api/shard_pb2_grpc.py",
            "static/jquery.min.js",
            "static/app.js.map",
            "web/dist/app.js",
            "single_include/nlohmann/json.hpp",
            "logo.svg",
            "tests/shard.pb.go",
        ],
    );
}

#[test]
fn copies_of_other_projects_are_vendored() {
    check(
        Vendored,
        &[
            "vendor/github.com/a/b/c.go",
            "third_party/abseil/strings.cc",
            "node_modules/x/index.js",
            "include/spdlog/fmt/bundled/core.h",
            "deps/lua/src/lua.c",
            "vendor/x/tests/a.rs",
            "src/pip/_vendor/urllib3/a.py",
            "external/zlib/zlib.h",
        ],
    );
}

#[test]
fn manifests_and_settings_are_config() {
    check(
        Config,
        &[
            "Cargo.toml",
            "examples/demo/Cargo.toml",
            "package.json",
            "pyproject.toml",
            "setup.py",
            "go.mod",
            "pom.xml",
            "CMakeLists.txt",
            "requirements.txt",
            "requirements-dev.txt",
            "requirements/test.txt",
            "Dockerfile",
            "build/Dockerfile.alpine",
            "Makefile",
            ".github/workflows/ci.yml",
            ".gitlab-ci.yml",
            ".gitignore",
            ".eslintrc",
            ".eslintrc.js",
            "vite.config.ts",
            "deploy/values.yaml",
            "src/messages.json",
            "app.ini",
            "docs/mkdocs.yml",
            "Jenkinsfile",
        ],
    );
}

#[test]
fn prose_is_docs() {
    check(
        Docs,
        &[
            "README.md",
            "README",
            "LICENSE",
            "LICENSE-MIT",
            "LICENSE.Apache-2.0",
            "COPYING",
            "tests/README.md",
            "examples/guide.md",
            "docs/intro.rst",
            "docs/index.html",
            "notes.txt",
            "doc/design.adoc",
            "jq.1",
            ".github/CONTRIBUTING.md",
        ],
    );
}

#[test]
fn known_formats_are_binary() {
    check(Binary, &["logo.PNG", "a.tar.gz", "font.woff2", "vendor/x.so", "docs/paper.pdf", "tests/data/x.zip"]);
}

#[test]
fn every_path_has_a_class() {
    for path in ["", "/", "a//b", ".", "..", "größe/日本.rs", "Test", "x.", ".x.", "a/", "\u{fffd}"] {
        classify_path(path);
    }
}

#[test]
fn content_corrects_the_path() {
    let minified = "var a=1;".repeat(1_000);
    for (path, content, expected) in [
        ("src/a.rs", "fn main() {}", Source),
        ("src/a.rs", "a\0b", Binary),
        ("README.md", "a\0b", Binary),
        ("api.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage api", Generated),
        ("api.ts", "/* eslint-disable */\n/**\n * @generated by codegen\n */", Generated),
        ("api.py", "#!/usr/bin/env python\n# This file was automatically generated by SWIG.\n", Generated),
        ("emit.go", "package emit\nconst header = \"// Code generated by x. DO NOT EDIT.\"\n", Source),
        ("emit.rs", "//! Skips files with `@generated` in them.\n", Source),
        ("shell.rs", "use a::B;\n\n/// Shell with auto-generated completion script.\nenum A {}", Source),
        ("slot.ts", "/**\n * Helper for rendering compiler-generated slots.\n */\nexport function f() {}", Source),
        ("width.py", "# Generated by make_width_table.py\n# wcwidth 0.2\n", Generated),
        ("lexer.c", "/*\n  DO NOT EDIT: made by flex\n*/\nint yy;", Generated),
        ("lexer.c", "#line 2 \"lexer.c\"\n#define YY 1\n/* A lexical scanner generated by flex */\n", Generated),
        ("a.natvis", "<?xml version=\"1.0\"?>\n<!-- Auto-generated file, do not edit -->\n<a/>", Generated),
        ("a.py", "\"\"\"Autogenerated by codegen.\"\"\"\n", Generated),
        ("hand.c", "int x; /* one */\n/* DO NOT EDIT this table by hand */", Source),
        ("tests/api.go", "// Code generated by x. DO NOT EDIT.", Test),
        ("app.js", minified.as_str(), Generated),
        ("app.rs", minified.as_str(), Source),
        ("empty.rs", "", Source),
    ] {
        assert_eq!(classify(path, content.as_bytes()), expected, "{path}: {}", &content[..content.len().min(60)]);
    }
}
