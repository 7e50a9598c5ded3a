//! Domains: kinds of content between which relevance decays.

use crate::{FileClass, Language};

/// A kind of content within a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Domain {
    /// Code, and everything without a domain of its own.
    Code,
    /// Documentation.
    Docs,
    /// Interface descriptions: protobuf, OpenAPI, GraphQL.
    Api,
    /// Build and deployment.
    Infra,
}

impl Domain {
    /// All domains in the order of declaration, which is also their number on disk.
    pub const ALL: &'static [Domain] = &[Domain::Code, Domain::Docs, Domain::Api, Domain::Infra];

    /// Returns the domain of a file.
    pub fn of(path: &str, language: Language, class: FileClass) -> Domain {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_api_name = ["openapi", "swagger", "asyncapi"].iter().any(|word| name.contains(word));
        match language {
            Language::Protobuf => Domain::Api,
            _ if matches!(extension, "graphql" | "gql" | "avsc" | "thrift") => Domain::Api,
            _ if is_api_name && matches!(extension, "yaml" | "yml" | "json") => Domain::Api,
            Language::Markdown => Domain::Docs,
            _ if class == FileClass::Docs => Domain::Docs,
            Language::Terraform => Domain::Infra,
            Language::Text if class == FileClass::Config || is_build_file(&name) => Domain::Infra,
            _ => Domain::Code,
        }
    }

    /// Returns the domain with this number.
    pub fn from_index(index: u8) -> Option<Domain> {
        Domain::ALL.get(index as usize).copied()
    }
}

fn is_build_file(name: &str) -> bool {
    ["dockerfile", "makefile", "jenkinsfile", "vagrantfile", "procfile"].iter().any(|word| name.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_follows_from_path_and_class() {
        for (path, class, expected) in [
            ("src/a.rs", FileClass::Source, Domain::Code),
            ("api/openapi.yaml", FileClass::Config, Domain::Api),
            ("proto/a.proto", FileClass::Source, Domain::Api),
            ("README.md", FileClass::Docs, Domain::Docs),
            ("deploy/Dockerfile", FileClass::Source, Domain::Infra),
            ("deploy/values.yaml", FileClass::Config, Domain::Infra),
            ("openapi.go", FileClass::Source, Domain::Code),
        ] {
            assert_eq!(Domain::of(path, Language::of_path(path), class), expected, "{path}");
        }
    }
}
