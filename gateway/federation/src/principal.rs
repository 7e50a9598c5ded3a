//! The caller of a request, and its access rule.

/// A caller: a name for the logs, and the repositories that it may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    name: String,
    rule: AccessRule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum AccessRule {
    Everything,
    /// Aliases, alone or as `alias@worker`, `*` standing for any characters.
    Patterns(Vec<String>),
}

impl Principal {
    /// Returns the caller of a gateway without configured tokens: it may read everything.
    pub fn local() -> Principal {
        Principal { name: "local".to_owned(), rule: AccessRule::Everything }
    }

    /// Returns a caller that may read the repositories whose alias, or `alias@worker`, matches one of `patterns`.
    pub fn limited(name: impl Into<String>, patterns: impl IntoIterator<Item = String>) -> Principal {
        Principal { name: name.into(), rule: AccessRule::Patterns(patterns.into_iter().collect()) }
    }

    /// Returns the name in logs, rate limits and feedback: `local`, or that of the token's holder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true for the caller of a gateway without configured tokens.
    pub fn is_local(&self) -> bool {
        self.rule == AccessRule::Everything
    }

    /// Returns the patterns of the caller's rule; empty if it may read everything.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        let patterns = match &self.rule {
            AccessRule::Everything => [].as_slice(),
            AccessRule::Patterns(patterns) => patterns,
        };
        patterns.iter().map(String::as_str)
    }

    /// Returns true if the caller may read every repository, present and future.
    pub fn reads_everything(&self) -> bool {
        match &self.rule {
            AccessRule::Everything => true,
            AccessRule::Patterns(patterns) => patterns.iter().any(|pattern| pattern == "*"),
        }
    }

    /// Returns true if the caller may read the repository that `workers` advertise by this alias. The result depends on no other
    /// repository, so that a rule never starts to cover another one.
    pub fn may_read<'a>(&self, alias: &str, workers: impl Iterator<Item = &'a str> + Clone) -> bool {
        let covers = |pattern: &String| {
            let is_on = |pattern: &str| workers.clone().any(|worker| matches_pattern(pattern, worker));
            let is_qualified =
                || pattern.rsplit_once('@').is_some_and(|(own, on)| matches_pattern(own, alias) && is_on(on));
            matches_pattern(pattern, alias) || is_qualified()
        };
        match &self.rule {
            AccessRule::Everything => true,
            AccessRule::Patterns(patterns) => patterns.iter().any(covers),
        }
    }
}

/// Returns true if `alias` matches `pattern`, in which `*` stands for any characters.
pub fn matches_pattern(pattern: &str, alias: &str) -> bool {
    let Some((prefix, rest)) = pattern.split_once('*') else { return pattern == alias };
    let Some(mut tail) = alias.strip_prefix(prefix) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return tail.ends_with(part);
        }
        let Some(at) = tail.find(part) else { return false };
        tail = &tail[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, alias, expected) in [
            ("*", "anything", true),
            ("acme", "acme", true),
            ("acme", "acme@w2", false),
            ("acme/*", "acme/api", true),
            ("acme/*", "acme", false),
            ("*-api", "billing-api", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("", "x", false),
        ] {
            assert_eq!(matches_pattern(pattern, alias), expected, "{pattern} {alias}");
        }
    }
}
