//! One tool call, and the state that tools keep between calls.

use std::{path::Path, sync::Arc};

use federation::{Federation, call::CallContext, principal::Principal};
use provider::Provider;
use tokio::time::Instant;

use crate::{
    get_answer::cached_answer::CachedAnswer, get_impact::ImpactListCache, memory::Memory, progress::Progress,
    single_flight::SingleFlight,
};

/// The state that all tool calls share.
pub struct Toolbox {
    /// The workers, and the caches of all calls.
    pub federation: Federation,
    /// Tasks and feedback of agents, and cached answers.
    pub memory: Memory,
    /// The model that writes answers, if one is configured.
    pub provider: Option<Arc<Provider>>,
    /// Default number of edges that `get_context` walks from its root.
    pub(crate) context_depth: u8,
    /// Answers in progress: equal concurrent questions of one caller wait for the first one.
    pub(crate) answers_in_flight: SingleFlight<CachedAnswer>,
    /// The users of definitions whose pages are being read.
    pub(crate) impact_lists: ImpactListCache,
}

impl Toolbox {
    /// Returns the toolbox over a federation. Memory is stored in the folder `state`, or in the process without one.
    pub fn new(federation: Federation, state: Option<&Path>, provider: Option<Provider>, context_depth: u8) -> Toolbox {
        let memory = Memory::open(state);
        let provider = provider.map(|provider| Arc::new(memory.persist_spending(provider)));
        Toolbox {
            federation,
            memory,
            provider,
            context_depth,
            answers_in_flight: SingleFlight::default(),
            impact_lists: ImpactListCache::default(),
        }
    }
}

/// One tool call: the federation as its caller sees it, and the toolbox.
pub struct ToolCall<'a> {
    /// The caller, its readable repositories and its deadline.
    pub context: CallContext<'a>,
    /// The state that outlives the call.
    pub toolbox: &'a Toolbox,
    pub(crate) progress: Progress,
}

impl<'a> ToolCall<'a> {
    /// Returns a call of `principal` that arrived at `started` and reports to `progress`.
    pub fn new(toolbox: &'a Toolbox, principal: &'a Principal, started: Instant, progress: Progress) -> ToolCall<'a> {
        ToolCall { context: CallContext::new(&toolbox.federation, principal, started), toolbox, progress }
    }
}
