//! Target: any bytes can be decoded as messages of both services and converted to model types.

use std::sync::LazyLock;

use model::{FileClass, Filter, LineSpan};
use prost::Message;
use proto::{
    WireError,
    grant::{GrantKeys, Targeted},
    v1,
};

/// Checks of one message type.
type Reader = fn(&[u8]);

/// Lists the message types with their checks.
macro_rules! messages {
    ($($message:ident $(=> $check:expr)?),* $(,)?) => {
        /// Message types, by first byte. Append only.
        const READERS: &[Reader] = &[$(|bytes| {
            let Some(message) = decoded::<v1::$message>(bytes) else { return };
            let _ = &message;
            $(($check)(&message);)?
        }),*];

        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($message)),*];
    };
}

messages! {
    Target => read_target,
    Outcome => read_outcome,
    Lines => read_lines,
    Filter => read_filter,
    Symbol => |message: &v1::Symbol| message.lines.iter().for_each(read_lines),
    File => |file: &v1::File| read_class(file.class()),
    NodeSet => |message: &v1::NodeSet| message.target.iter().for_each(read_target),
    NeighboursRequest => read_request,
    NeighboursResponse => |message: &v1::NeighboursResponse| message.outcomes.iter().for_each(read_outcome),
    Neighbourhood,
    GraphEdge,
    GraphNode,
    DescribeRequest => read_request,
    DescribeResponse => |message: &v1::DescribeResponse| message.outcomes.iter().for_each(read_outcome),
    NodeCard,
    Community,
    Route,
    SurfaceRequest => |message: &v1::SurfaceRequest| { message.targets.iter().for_each(read_target); read_request(message); },
    SurfaceResponse => |message: &v1::SurfaceResponse| message.outcomes.iter().for_each(read_outcome),
    Surface,
    Offer,
    Use,
    LocateRequest => |message: &v1::LocateRequest| { message.target.iter().for_each(read_target); read_request(message); },
    PackageMember,
    LocateResponse => |message: &v1::LocateResponse| message.outcome.iter().for_each(read_outcome),
    Location,
    LinkFactsRequest => |message: &v1::LinkFactsRequest| message.target.iter().for_each(read_target),
    LinkFactsResponse => |message: &v1::LinkFactsResponse| message.outcome.iter().for_each(read_outcome),
    HistoryRequest => read_request,
    HistoryItem => |message: &v1::HistoryItem| message.target.iter().for_each(read_target),
    HistoryResponse,
    FileHistory => |message: &v1::FileHistory| message.outcome.iter().for_each(read_outcome),
    Hotspot,
    Owner,
    Change,
    CoChange,
    ActivityRequest => |message: &v1::ActivityRequest| { message.targets.iter().for_each(read_target); read_request(message); },
    ActivityResponse => |message: &v1::ActivityResponse| message.outcomes.iter().for_each(read_outcome),
    Activity,
    ActiveAuthor,
    ActiveCommitsRequest => read_request,
    ActiveCommitsItem => |message: &v1::ActiveCommitsItem| message.target.iter().for_each(read_target),
    Days,
    ActiveCommitsResponse => |message: &v1::ActiveCommitsResponse| message.outcomes.iter().for_each(read_outcome),
    ActiveCommits,
    ActiveCommit,
    EnqueueRequest => read_request,
    EnqueueResponse,
    StatusRequest => read_request,
    StatusResponse,
    RepositoryStatus,
    RunFigures,
    OverviewRequest => |message: &v1::OverviewRequest| { message.targets.iter().for_each(read_target); read_request(message); },
    OverviewResponse => |message: &v1::OverviewResponse| message.outcomes.iter().for_each(read_outcome),
    RepositoryOverview,
    SaidBy,
    Spot,
    LanguageShare,
    Module,
    ModuleTie,
    DeclaredPackage,
    Start,
    AnsweredRoute,
    NamedSymbol,
    HotFile,
    FileGroup,
    InfraFile,
    WholePast,
    InventoryRequest => read_request,
    InventoryResponse,
    Repository,
    LanguageCount,
    StatisticsRequest => |message: &v1::StatisticsRequest| { message.targets.iter().for_each(read_target); read_request(message); },
    StatisticsResponse => |message: &v1::StatisticsResponse| message.outcomes.iter().for_each(read_outcome),
    CorpusStatistics,
    SuggestRequest => |message: &v1::SuggestRequest| { message.targets.iter().for_each(read_target); read_request(message); },
    SuggestResponse => |message: &v1::SuggestResponse| message.outcomes.iter().for_each(read_outcome),
    Suggestion,
    SearchRequest => |message: &v1::SearchRequest| { message.targets.iter().for_each(read_target); message.filter.iter().for_each(read_filter); read_request(message); },
    Term,
    QueryVector,
    Identifier,
    Kept,
    SearchResponse => |message: &v1::SearchResponse| message.outcomes.iter().for_each(read_outcome),
    PageHit,
    MessageHit,
    CompareRequest => read_request,
    RowSet => |message: &v1::RowSet| message.target.iter().for_each(read_target),
    FileRows,
    CompareResponse => |message: &v1::CompareResponse| message.outcomes.iter().for_each(read_outcome),
    Nearness,
    FileHit,
    Row => |message: &v1::Row| message.lines.iter().for_each(read_lines),
    NameMatch,
    SymbolsRequest => |message: &v1::SymbolsRequest| { message.targets.iter().for_each(read_target); message.filter.iter().for_each(read_filter); read_request(message); },
    SymbolLookup,
    SymbolsResponse => |message: &v1::SymbolsResponse| message.outcomes.iter().for_each(read_outcome),
    SymbolHit,
    OutlineRequest => |message: &v1::OutlineRequest| { message.targets.iter().for_each(read_target); read_request(message); },
    OutlineResponse => |message: &v1::OutlineResponse| message.outcomes.iter().for_each(read_outcome),
    FolderListing,
    FolderEntry,
    FileOutline,
    FetchRequest => |message: &v1::FetchRequest| { message.items.iter().for_each(read_item); read_request(message); },
    FetchItem => read_item,
    FetchResponse,
    FetchResult => |message: &v1::FetchResult| { message.outcome.iter().for_each(read_outcome); message.lines.iter().for_each(read_lines); },
    SourceToken,
    TokenTarget,
    Addressed,
    SourceLine,
    ChangesRequest => |message: &v1::ChangesRequest| { message.target.iter().for_each(read_target); read_request(message); },
    ChangesResponse => |message: &v1::ChangesResponse| message.outcome.iter().for_each(read_outcome),
    ChangedPath,
    LineHunk,
    NameLines,
    DefinitionChange,
    DefinitionSide,
    ContractChange,
    SitesRequest => |message: &v1::SitesRequest| { message.target.iter().for_each(read_target); read_request(message); },
    SitesItem,
    SitesResponse => |message: &v1::SitesResponse| message.outcome.iter().for_each(read_outcome),
    FileSites,
    CallSite,
    ImportedName,
    EnsureViewRequest => |message: &v1::EnsureViewRequest| { message.target.iter().for_each(read_target); read_request(message); },
    EnsureViewResponse,
    RepositoryDraft,
}

pub(crate) fn run(input: &[u8]) {
    if let Some((read, bytes)) = crate::choose(input, READERS) {
        read(bytes);
    }
}

/// Decodes a message; it must survive another round trip.
fn decoded<M: Message + Default>(bytes: &[u8]) -> Option<M> {
    let message = M::decode(bytes).ok()?;
    let sent = message.encode_to_vec();
    assert_eq!(sent.len(), message.encoded_len());
    // Bytes are compared, since NaN differs from itself.
    let received = M::decode(sent.as_slice()).expect("what was encoded can be decoded");
    assert_eq!(received.encode_to_vec(), sent);
    Some(message)
}

/// A request is granted for its own repositories.
fn read_request(request: &impl Targeted) {
    let repositories = request.repositories();
    let grant = GRANT_KEYS.sign(&repositories, NOW);
    assert_eq!(GRANT_KEYS.verify(Some(&grant), &repositories, NOW), Ok(()));
}

static GRANT_KEYS: LazyLock<GrantKeys> =
    LazyLock::new(|| GrantKeys::parse(&"k".repeat(32)).expect("it is long enough"));

/// Time of the grant in seconds since 1970.
const NOW: u64 = 1_800_000_000;

fn read_target(target: &v1::Target) {
    let Ok((repo, generation)) = target.parse() else { return };
    let again = v1::Target::new(repo, generation);
    assert_eq!(again.parse(), Ok((repo, generation)));
}

fn read_outcome(outcome: &v1::Outcome) {
    let is_ok = outcome.state() == v1::TargetState::Ok;
    assert_eq!(outcome.shortfall().is_none(), is_ok, "{outcome:?}");
    drop(proto::convert::parse_repo(&outcome.repository));
}

fn read_lines(lines: &v1::Lines) {
    let span = LineSpan::from(*lines);
    assert_eq!(v1::Lines::from(span), *lines);
    assert_eq!(span.is_empty(), lines.start > lines.end, "{lines:?}");
}

fn read_class(class: v1::FileClass) {
    let read = FileClass::from(class);
    assert!(v1::FileClass::from(read) == class || class == v1::FileClass::Unspecified, "{class:?} is read as {read:?}");
}

fn read_filter(filter: &v1::Filter) {
    match Filter::try_from(filter) {
        Ok(read) => assert_eq!(Filter::try_from(&v1::Filter::from(&read)), Ok(read)),
        Err(error) => check_error(&error),
    }
}

fn read_item(item: &v1::FetchItem) {
    item.target.iter().for_each(read_target);
    if let Err(error) = item.wanted_page() {
        check_error(&error);
    }
}

/// Conversion errors have a text.
fn check_error(error: &WireError) {
    assert!(error.to_string().contains('`'), "{error}");
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn every_message_is_fuzzed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto/causeway/v1");
        let files = fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
        let of_file = |text: String| {
            let names = text.lines().filter_map(|line| line.strip_prefix("message ")?.split_whitespace().next());
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        let there: BTreeSet<String> = files.flat_map(of_file).collect();
        let fuzzed: BTreeSet<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(fuzzed, there, "tests/fuzzing/src/wire.rs lists the messages; append those that are new");
    }
}
