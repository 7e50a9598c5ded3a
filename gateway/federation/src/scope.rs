//! The scope of a graph request: the repositories for name lookup, and those that a walk may enter.

use std::collections::BTreeSet;

use crate::{
    call::CallContext,
    plan::{Plan, Visible},
    refusal::Refusal,
    repo_idx::RepoIdx,
};

/// The repositories that a request over the code graph is about.
pub struct GraphScope {
    /// The repositories for name lookup, ascending.
    pub lookup: Vec<RepoIdx>,
    /// The repositories that a walk may enter, including those for name lookup.
    pub enter: BTreeSet<RepoIdx>,
    is_everything: bool,
}

impl GraphScope {
    /// Reads `repo` and `projects`. Without `projects` a walk enters every repository if `repo` names none, and no other
    /// if it names some.
    pub fn new(visible: &Visible, repo: Option<&str>, projects: Option<&str>) -> Result<GraphScope, Refusal> {
        let lookup = visible.plan(repo)?.asked;
        let is_everywhere = lookup.len() == visible.repo_idxs().len();
        let named = projects.filter(|projects| !projects.trim().is_empty());
        let enter: BTreeSet<RepoIdx> = match named {
            // Name lookup covers everything; the walk enters only the projects and the repository of its root.
            Some(_) if is_everywhere => visible.plan(named)?.asked.into_iter().collect(),
            Some(_) => lookup.iter().copied().chain(visible.plan(named)?.asked).collect(),
            None => lookup.iter().copied().collect(),
        };
        let is_everything = is_everywhere || enter.len() == visible.repo_idxs().len();
        Ok(GraphScope { lookup, enter, is_everything })
    }

    /// Lets walks enter every repository that the caller may read; name lookup stays the same.
    pub fn entering_all(self, visible: &Visible) -> GraphScope {
        GraphScope { enter: visible.repo_idxs().iter().copied().collect(), is_everything: true, ..self }
    }

    /// Returns the same scope with walks that enter every repository that the caller may read.
    pub fn clone_entering_all(&self, visible: &Visible) -> GraphScope {
        let lookup = self.lookup.clone();
        GraphScope { lookup, enter: visible.repo_idxs().iter().copied().collect(), is_everything: true }
    }

    /// Returns the plan for name lookup, limited to the repository of an alias prefix if there is one.
    pub fn lookup_plan(&self, visible: &Visible, alias: Option<&str>) -> Result<Plan, Refusal> {
        match alias {
            Some(alias) => visible.plan(Some(alias)),
            None => Ok(visible.plan_for(self.lookup.clone(), self.is_everything)),
        }
    }

    /// Returns the plan for name lookup in the other repositories that a walk may enter.
    pub fn fallback_plan(&self, visible: &Visible) -> Option<Plan> {
        let others: Vec<RepoIdx> =
            self.enter.iter().copied().filter(|repo_idx| !self.lookup.contains(repo_idx)).collect();
        (!others.is_empty()).then(|| visible.plan_for(others, false))
    }

    /// Returns the plan of a walk from `roots`, and the repositories that it may enter.
    pub fn walk_plan(
        &self,
        call: &CallContext<'_>,
        roots: impl IntoIterator<Item = RepoIdx>,
    ) -> (Plan, BTreeSet<RepoIdx>) {
        let mut enter = self.enter.clone();
        enter.extend(roots);
        let plan = call.visible.plan_for(enter.iter().copied().collect(), self.is_everything);
        (plan, enter)
    }
}
