//! Rules of the user about links: the repository that makes a package or serves a host, and links that are ignored.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::manifests::normal_python_name;

/// Maximum number of rules of each kind.
const MAX_RULES: usize = 10_000;

/// The kinds of package keys.
const ECOSYSTEMS: [&str; 11] =
    ["npm", "cargo", "go", "pypi", "maven", "composer", "gem", "nuget", "java", "python", "include"];

/// The keys of the table `[links]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkRulesSettings {
    /// By package, such as `npm:@acme/ui`: the alias of the repository that makes it.
    pub made_by: BTreeMap<String, String>,
    /// By name of a host in the network, such as `cart.internal`: the alias of the repository whose service answers there.
    pub served_by: BTreeMap<String, String>,
    /// Pairs of aliases: uses in the first repository are never linked to the second. A third element is the name of the only contract
    /// between services that is meant, such as `GET /cart`.
    pub never: Vec<Vec<String>>,
}

/// Rules of the user about links. They name repositories by their aliases, and only ever remove a link or choose among makers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkRules {
    made_by: BTreeMap<String, String>,
    /// By host in lower case.
    served_by: BTreeMap<String, String>,
    never: BTreeSet<(String, String)>,
    /// User, provider and contract.
    ignored: BTreeSet<(String, String, String)>,
}

/// An invalid rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkRuleError {
    /// The key of a package has no known ecosystem.
    #[error("`made_by`: `{key}` is no package: write it like `npm:@acme/ui`, with one of {}", ECOSYSTEMS.join(", "))]
    Package {
        /// The key as configured.
        key: String,
    },
    /// A rule has not two aliases, or both are the same.
    #[error(
        "`never`: [{}] is no pair of repositories: write it like [\"api\", \"ui\"], or [\"api\", \"ui\", \"GET /x\"] for one contract",
        rule.join(", ")
    )]
    Pair {
        /// The rule as configured.
        rule: Vec<String>,
    },
    /// The alias of a maker is empty.
    #[error("`made_by`: `{key}` has no repository")]
    Maker {
        /// The key as configured.
        key: String,
    },
    /// The name of a host has other characters than those of a host, or its repository is empty.
    #[error(
        "`served_by`: `{host}` is no host with a repository: write it like \"cart.internal\" = \"cart\", without scheme and port"
    )]
    Host {
        /// The host as configured.
        host: String,
    },
    /// There are too many rules.
    #[error("there are more than {MAX_RULES} rules")]
    TooMany,
}

impl LinkRules {
    /// Validates the rules of a configuration.
    pub fn new(settings: LinkRulesSettings) -> Result<LinkRules, LinkRuleError> {
        let LinkRulesSettings { made_by, served_by, never } = settings;
        if [made_by.len(), served_by.len(), never.len()].iter().any(|n_rules| *n_rules > MAX_RULES) {
            return Err(LinkRuleError::TooMany);
        }
        if let Some(key) = made_by.keys().find(|key| !is_package_key(key)) {
            return Err(LinkRuleError::Package { key: key.clone() });
        }
        if let Some((key, _)) = made_by.iter().find(|(_, maker)| maker.trim().is_empty()) {
            return Err(LinkRuleError::Maker { key: key.clone() });
        }
        if let Some((host, _)) = served_by.iter().find(|(host, server)| !is_host(host) || server.trim().is_empty()) {
            return Err(LinkRuleError::Host { host: host.clone() });
        }
        let mut rules = LinkRules { made_by, ..LinkRules::default() };
        rules.served_by = served_by.into_iter().map(|(host, server)| (host.to_ascii_lowercase(), server)).collect();
        let is_pair =
            |user: &str, provider: &str| !user.trim().is_empty() && !provider.trim().is_empty() && user != provider;
        for rule in never {
            match rule.as_slice() {
                [user, provider] if is_pair(user, provider) => {
                    rules.never.insert((user.clone(), provider.clone()));
                }
                [user, provider, contract] if is_pair(user, provider) && !contract.trim().is_empty() => {
                    rules.ignored.insert((user.clone(), provider.clone(), contract.clone()));
                }
                _ => return Err(LinkRuleError::Pair { rule }),
            }
        }
        Ok(rules)
    }

    /// Returns true if there is no rule.
    pub fn is_empty(&self) -> bool {
        self.has_no_rule_of_packages() && self.served_by.is_empty() && self.ignored.is_empty()
    }

    fn has_no_rule_of_packages(&self) -> bool {
        self.made_by.is_empty() && self.never.is_empty()
    }

    /// Returns true unless a rule forbids links from a repository to another one.
    pub fn may_link(&self, user: &str, provider: &str) -> bool {
        self.never.is_empty() || !self.never.contains(&(user.to_owned(), provider.to_owned()))
    }

    /// Returns true unless a rule forbids the link of a contract between services. `names` are the notations of the contract.
    pub fn may_link_contract(&self, user: &str, provider: &str, names: [&str; 2]) -> bool {
        let is_ignored = |name: &str| self.ignored.contains(&(user.to_owned(), provider.to_owned(), name.to_owned()));
        self.may_link(user, provider) && (self.ignored.is_empty() || !names.into_iter().any(is_ignored))
    }

    /// Returns the alias of the repository that serves a host, if a rule names it.
    pub fn server_of(&self, host: &str) -> Option<&str> {
        self.served_by.get(host).map(String::as_str)
    }

    /// Returns the alias of the repository that makes a package, if a rule names it. A rule for a distribution of Python holds for
    /// the module of the same name.
    pub fn maker_of(&self, package: &str) -> Option<&str> {
        if self.made_by.is_empty() {
            return None;
        }
        let of_module = || self.made_by.get(&format!("pypi:{}", normal_python_name(package.strip_prefix("python:")?)));
        self.made_by.get(package).or_else(of_module).map(String::as_str)
    }

    /// Returns true unless a rule names another maker of a package.
    pub fn may_make(&self, package: &str, provider: &str) -> bool {
        self.maker_of(package).is_none_or(|maker| maker == provider)
    }

    /// Returns the packages with a rule, and their makers.
    pub fn makers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.made_by.iter().map(|(package, maker)| (package.as_str(), maker.as_str()))
    }

    /// Returns the aliases in rules that no repository has, each once and in order.
    pub fn unknown_aliases<'a>(&'a self, known: &BTreeSet<&str>) -> BTreeSet<&'a str> {
        let of_pairs = self.never.iter().flat_map(|(user, provider)| [user, provider]);
        let of_contracts = self.ignored.iter().flat_map(|(user, provider, _)| [user, provider]);
        let aliases = self.made_by.values().chain(self.served_by.values()).chain(of_pairs).chain(of_contracts);
        let aliases = aliases.map(String::as_str);
        aliases.filter(|alias| !known.contains(alias)).collect()
    }

    /// Returns the bytes that identify the rules about packages; none if there are no such rules. Links between services are not stored.
    pub fn identity(&self) -> Vec<u8> {
        if self.has_no_rule_of_packages() {
            return Vec::new();
        }
        // Serialization of plain data into memory cannot fail.
        postcard::to_stdvec(&(&self.made_by, &self.never)).unwrap_or_default()
    }
}

fn is_host(host: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    !host.is_empty() && host.chars().all(is_part)
}

fn is_package_key(key: &str) -> bool {
    key.split_once(':').is_some_and(|(ecosystem, name)| ECOSYSTEMS.contains(&ecosystem) && !name.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(made_by: &[(&str, &str)], never: &[(&str, &str)]) -> Result<LinkRules, LinkRuleError> {
        let owned = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
        LinkRules::new(LinkRulesSettings {
            made_by: made_by.iter().map(owned).collect(),
            never: never.iter().map(|(a, b)| vec![(*a).to_owned(), (*b).to_owned()]).collect(),
            ..LinkRulesSettings::default()
        })
    }

    #[test]
    fn malformed_rules_are_rejected() {
        for (made_by, never, expected) in [
            (&[("@acme/ui", "ui")][..], &[][..], "is no package"),
            (&[("cran:shiny", "ui")], &[], "is no package"),
            (&[("npm:", "ui")], &[], "is no package"),
            (&[("npm:ui", " ")], &[], "has no repository"),
            (&[], &[("a", "a")], "no pair"),
            (&[], &[("a", "")], "no pair"),
        ] {
            let error = rules(made_by, never).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn rules_decide_makers_and_pairs() {
        let rules = rules(&[("npm:ui", "ui"), ("pypi:acme-kit", "kit")], &[("a", "b")]).unwrap();
        assert!(rules.may_link("b", "a") && !rules.may_link("a", "b"));
        for (package, provider, expected) in [
            ("npm:ui", "ui", true),
            ("npm:ui", "fork", false),
            ("npm:other", "fork", true),
            ("python:acme_kit", "kit", true),
            ("python:acme_kit", "fork", false),
        ] {
            assert_eq!(rules.may_make(package, provider), expected, "{package} {provider}");
        }
        let known = BTreeSet::from(["ui", "a"]);
        assert_eq!(rules.unknown_aliases(&known).into_iter().collect::<Vec<_>>(), ["b", "kit"]);
    }

    #[test]
    fn rules_decide_servers_and_single_contracts() {
        let settings = |host: &str| LinkRulesSettings {
            served_by: BTreeMap::from([(host.to_owned(), "cart".to_owned())]),
            never: vec![["web", "cart", "GET /x"].map(str::to_owned).to_vec()],
            ..LinkRulesSettings::default()
        };
        let rules = LinkRules::new(settings("Cart.internal")).unwrap();
        assert_eq!((rules.server_of("cart.internal"), rules.server_of("cart")), (Some("cart"), None));
        assert!(!rules.is_empty() && rules.identity().is_empty() && rules.may_link("web", "cart"));
        for (user, name, expected) in [("web", "GET /x", false), ("web", "GET /y", true), ("app", "GET /x", true)] {
            assert_eq!(rules.may_link_contract(user, "cart", [name, "other"]), expected, "{user} {name}");
        }
        assert_eq!(rules.unknown_aliases(&BTreeSet::from(["cart"])).into_iter().collect::<Vec<_>>(), ["web"]);
        for host in ["http://cart", "cart:80", ""] {
            assert!(LinkRules::new(settings(host)).unwrap_err().to_string().contains("is no host"), "{host}");
        }
    }
}
