//! Languages, and their detection by file name.

use serde::{Deserialize, Serialize};

macro_rules! languages {
    ($($variant:ident = $name:literal, [$($ext:literal),*], [$($file:literal),*];)*) => {
        /// A language of files. `Text` is any other readable file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "the variants are named after their languages")]
        pub enum Language { $($variant),* }

        impl Language {
            /// All languages in the order of declaration.
            pub const ALL: &'static [Language] = &[$(Language::$variant),*];

            /// Returns the lower-case name in requests and answers.
            pub fn name(self) -> &'static str {
                match self { $(Language::$variant => $name),* }
            }

            fn extensions(self) -> &'static [&'static str] {
                match self { $(Language::$variant => &[$($ext),*]),* }
            }

            fn file_names(self) -> &'static [&'static str] {
                match self { $(Language::$variant => &[$($file),*]),* }
            }
        }
    };
}

languages! {
    Rust = "rust", ["rs"], [];
    Python = "python", ["py", "pyi", "pyw"], ["SConstruct"];
    Go = "go", ["go"], [];
    JavaScript = "javascript", ["js", "mjs", "cjs", "jsx"], [];
    TypeScript = "typescript", ["ts", "mts", "cts", "vue", "svelte"], [];
    Tsx = "tsx", ["tsx"], [];
    Java = "java", ["java"], [];
    C = "c", ["c", "h"], [];
    Cpp = "cpp", ["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "tpp"], [];
    CSharp = "csharp", ["cs"], [];
    Ruby = "ruby", ["rb", "rake", "gemspec"], ["Rakefile", "Gemfile"];
    Php = "php", ["php", "phtml"], [];
    Kotlin = "kotlin", ["kt", "kts"], [];
    Swift = "swift", ["swift"], [];
    Scala = "scala", ["scala", "sc", "sbt"], [];
    Bash = "bash", ["sh", "bash", "zsh"], [];
    Lua = "lua", ["lua"], [];
    Elixir = "elixir", ["ex", "exs"], [];
    Zig = "zig", ["zig"], [];
    Dart = "dart", ["dart"], [];
    Protobuf = "protobuf", ["proto"], [];
    Sql = "sql", ["sql"], [];
    Terraform = "terraform", ["tf", "tfvars", "hcl", "nomad"], [];
    Markdown = "markdown", ["md", "markdown", "mdx"], [];
    Text = "text", [], [];
}

impl Language {
    /// Returns the language of a file by its name; `Text` if the name is not conclusive.
    pub fn of_path(path: &str) -> Language {
        let file_name = path.rsplit('/').next().unwrap_or(path);
        let extension = file_name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        Language::ALL
            .iter()
            .copied()
            .find(|language| {
                language.file_names().contains(&file_name)
                    || extension.as_deref().is_some_and(|ext| language.extensions().contains(&ext))
            })
            .unwrap_or(Language::Text)
    }

    /// Returns the language with this name, including common variants such as `c++` and `golang`.
    pub fn parse(name: &str) -> Option<Language> {
        let lower = name.to_ascii_lowercase();
        let canonical = match lower.as_str() {
            "c++" => "cpp",
            "c#" => "csharp",
            "golang" => "go",
            "proto" => "protobuf",
            "hcl" => "terraform",
            "shell" | "sh" => "bash",
            other => other,
        };
        Language::ALL
            .iter()
            .copied()
            .find(|language| language.name() == canonical || language.extensions().contains(&canonical))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_follows_from_the_file_name() {
        for (path, expected) in [
            ("src/lib.rs", Language::Rust),
            ("a/b.D.TSX", Language::Tsx),
            ("Rakefile", Language::Ruby),
            ("include/x.h", Language::C),
            ("LICENSE", Language::Text),
            ("dir.rs/file", Language::Text),
            ("", Language::Text),
        ] {
            assert_eq!(Language::of_path(path), expected, "{path}");
        }
    }

    #[test]
    fn names_round_trip() {
        for language in Language::ALL {
            assert_eq!(Language::parse(language.name()), Some(*language));
        }
        assert_eq!(Language::parse("C++"), Some(Language::Cpp));
        assert_eq!(Language::parse("klingon"), None);
    }
}
