//! Where the root of a walk is looked up, and which repositories the walk may enter.

use std::collections::BTreeSet;

use crate::{
    call::Call,
    plan::{Plan, Visible},
    refusal::Refusal,
};

/// The repositories that a request over the code graph is about.
pub(crate) struct Scope {
    /// Positions where names are looked up, ascending.
    pub(crate) lookup: Vec<usize>,
    /// Positions that a walk may enter, those for looking up included.
    pub(crate) enter: BTreeSet<usize>,
    is_everything: bool,
}

impl Scope {
    /// Reads `repo` and `projects`. Without `projects` a walk enters every repository if `repo` names none, and no other
    /// if it names some.
    pub(crate) fn new(visible: &Visible, repo: Option<&str>, projects: Option<&str>) -> Result<Scope, Refusal> {
        let lookup = visible.plan(repo)?.asked;
        let is_everywhere = lookup.len() == visible.positions().len();
        let named = projects.filter(|projects| !projects.trim().is_empty());
        let enter: BTreeSet<usize> = match named {
            // Names are looked up everywhere; the walk stays with the projects, and where it begins.
            Some(_) if is_everywhere => visible.plan(named)?.asked.into_iter().collect(),
            Some(_) => lookup.iter().copied().chain(visible.plan(named)?.asked).collect(),
            None => lookup.iter().copied().collect(),
        };
        let is_everything = is_everywhere || enter.len() == visible.positions().len();
        Ok(Scope { lookup, enter, is_everything })
    }

    /// Lets walks enter every repository that exists for the caller, wherever names are looked up.
    pub(crate) fn entering_all(self, visible: &Visible) -> Scope {
        Scope { enter: visible.positions().iter().copied().collect(), is_everything: true, ..self }
    }

    /// Returns the plan for looking names up, in the repository of a prefix where there is one.
    pub(crate) fn lookup_plan(&self, visible: &Visible, alias: Option<&str>) -> Result<Plan, Refusal> {
        match alias {
            Some(alias) => visible.plan(Some(alias)),
            None => Ok(visible.plan_for(self.lookup.clone(), self.is_everything)),
        }
    }

    /// Returns the plan for the other repositories that a walk may enter, where a name may live as well.
    pub(crate) fn elsewhere(&self, visible: &Visible) -> Option<Plan> {
        let others: Vec<usize> =
            self.enter.iter().copied().filter(|position| !self.lookup.contains(position)).collect();
        (!others.is_empty()).then(|| visible.plan_for(others, false))
    }

    /// Returns the plan of a walk from `roots`, and where it may go.
    pub(crate) fn walk_plan(&self, call: &Call<'_>, roots: impl IntoIterator<Item = usize>) -> (Plan, BTreeSet<usize>) {
        let mut enter = self.enter.clone();
        enter.extend(roots);
        let plan = call.visible.plan_for(enter.iter().copied().collect(), self.is_everything);
        (plan, enter)
    }
}
