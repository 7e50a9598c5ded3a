//! Conversions between messages and model types. Conversions to messages are infallible; conversions from messages can
//! fail.

use std::fmt;

use model::{
    ContentKind, FileClass, Filter, GenerationId, Language, LineSpan, PageType, RepoId, ShardState, SymbolKind,
};

use crate::v1;

/// An invalid message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireError(String);

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WireError {}

impl From<WireError> for tonic::Status {
    fn from(error: WireError) -> Self {
        tonic::Status::invalid_argument(error.0)
    }
}

impl v1::Target {
    /// Returns the message for a repository and, optionally, its generation.
    pub fn new(repo: RepoId, generation: Option<GenerationId>) -> v1::Target {
        v1::Target { repository: repo.to_string(), generation: generation.map(|id| id.to_string()).unwrap_or_default() }
    }

    /// Returns the repository and the requested generation.
    pub fn parse(&self) -> Result<(RepoId, Option<GenerationId>), WireError> {
        let repo = parse_repo(&self.repository)?;
        if self.generation.is_empty() {
            return Ok((repo, None));
        }
        let generation = self.generation.parse().map_err(|error| WireError(format!("{error}")))?;
        Ok((repo, Some(generation)))
    }
}

/// Parses a repository id.
pub fn parse_repo(hex: &str) -> Result<RepoId, WireError> {
    hex.parse().map_err(|error| WireError(format!("{error}")))
}

impl From<LineSpan> for v1::Lines {
    fn from(lines: LineSpan) -> Self {
        v1::Lines { start: lines.start, end: lines.end }
    }
}

impl From<v1::Lines> for LineSpan {
    fn from(lines: v1::Lines) -> Self {
        LineSpan { start: lines.start, end: lines.end }
    }
}

impl From<FileClass> for v1::FileClass {
    fn from(class: FileClass) -> Self {
        v1::FileClass::try_from(class as i32 + 1).unwrap_or(v1::FileClass::Unspecified)
    }
}

impl From<v1::FileClass> for FileClass {
    /// Unspecified is converted to source: unknown files must not be demoted.
    fn from(class: v1::FileClass) -> Self {
        u8::try_from(class as i32 - 1).ok().and_then(FileClass::from_index).unwrap_or(FileClass::Source)
    }
}

impl From<&Filter> for v1::Filter {
    fn from(filter: &Filter) -> Self {
        let content = filter.content.map_or(v1::ContentKind::Unspecified, |kind| match kind {
            ContentKind::Implementation => v1::ContentKind::Implementation,
            ContentKind::Test => v1::ContentKind::Test,
            ContentKind::Config => v1::ContentKind::Config,
            ContentKind::Doc => v1::ContentKind::Doc,
        });
        v1::Filter {
            content: content.into(),
            symbol_kind: filter.symbol_kind.map(|kind| kind.name().to_owned()).unwrap_or_default(),
            language: filter.language.map(|language| language.name().to_owned()).unwrap_or_default(),
            scope: filter.scope.clone(),
            page_type: filter.page_type.map(|page_type| page_type.name().to_owned()).unwrap_or_default(),
        }
    }
}

impl TryFrom<&v1::Filter> for Filter {
    type Error = WireError;

    fn try_from(filter: &v1::Filter) -> Result<Self, WireError> {
        let content = match filter.content() {
            v1::ContentKind::Unspecified => None,
            v1::ContentKind::Implementation => Some(ContentKind::Implementation),
            v1::ContentKind::Test => Some(ContentKind::Test),
            v1::ContentKind::Config => Some(ContentKind::Config),
            v1::ContentKind::Doc => Some(ContentKind::Doc),
        };
        Ok(Filter {
            content,
            symbol_kind: parse_name(&filter.symbol_kind, "symbol kind", SymbolKind::parse)?,
            language: parse_name(&filter.language, "language", Language::parse)?,
            scope: filter.scope.clone(),
            page_type: parse_name(&filter.page_type, "page type", PageType::parse)?,
        })
    }
}

impl v1::FetchItem {
    /// Returns the type of the requested page; `None` if the source is requested.
    pub fn wanted_page(&self) -> Result<Option<PageType>, WireError> {
        parse_name(&self.page_type, "page type", PageType::parse)
    }
}

fn parse_name<T>(name: &str, what: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, WireError> {
    if name.is_empty() {
        return Ok(None);
    }
    parse(name).map(Some).ok_or_else(|| WireError(format!("unknown {what} `{name}`")))
}

impl v1::Outcome {
    /// Returns the state of a target without a complete reply; `None` otherwise.
    pub fn shortfall(&self) -> Option<ShardState> {
        match self.state() {
            v1::TargetState::Ok => None,
            v1::TargetState::Partial => Some(ShardState::Partial),
            v1::TargetState::TimedOut => Some(ShardState::TimedOut),
            v1::TargetState::NotReady => Some(ShardState::NotReady),
            v1::TargetState::Stale => Some(ShardState::Stale),
            v1::TargetState::Failed | v1::TargetState::Unspecified => Some(ShardState::Failed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_round_trip() {
        for content in [None, Some(ContentKind::Doc)] {
            for language in [None, Some(Language::Cpp)] {
                let filter = Filter {
                    content,
                    language,
                    symbol_kind: Some(SymbolKind::Rpc),
                    scope: "src".into(),
                    page_type: Some(PageType::Infra),
                };
                assert_eq!(Filter::try_from(&v1::Filter::from(&filter)), Ok(filter));
            }
        }
    }

    #[test]
    fn classes_round_trip() {
        for class in FileClass::ALL {
            assert_eq!(FileClass::from(v1::FileClass::from(*class)), *class);
        }
    }

    #[test]
    fn page_types_are_parsed_by_name() {
        let item = |page_type: &str| v1::FetchItem { page_type: page_type.to_owned(), ..Default::default() };
        assert_eq!(item("").wanted_page(), Ok(None));
        for page_type in PageType::ALL {
            assert_eq!(item(page_type.name()).wanted_page(), Ok(Some(*page_type)));
        }
        assert_eq!(item("wiki").wanted_page().unwrap_err().to_string(), "unknown page type `wiki`");
    }

    #[test]
    fn errors_name_the_invalid_value() {
        let filter = v1::Filter { language: "klingon".into(), ..Default::default() };
        assert_eq!(Filter::try_from(&filter).unwrap_err().to_string(), "unknown language `klingon`");
        assert!(v1::Target { repository: "x".into(), generation: String::new() }.parse().is_err());
    }
}
