//! Name paths: the bare name of an expression or type, and the qualifier before it.

use crate::node::SyntaxNode;

use super::TreeWalk;
use super::rules::NameRule;

/// Maximum number of steps from an expression to its name. The deepest in real code have about six.
const MAX_STEPS: usize = 64;

/// The name of an expression or type, and the byte range of the qualifier before it.
pub(crate) struct NamePath<'t> {
    pub(crate) name: SyntaxNode<'t>,
    pub(crate) receiver: Option<(usize, usize)>,
}

impl TreeWalk<'_> {
    /// Finds the name of an expression or type. Returns `None` for an expression without one, such as `(f or g)()`.
    pub(crate) fn name_path<'n>(&self, node: SyntaxNode<'n>) -> Option<NamePath<'n>> {
        let mut receiver: Option<(usize, usize)> = None;
        let mut at = node;
        for _ in 0..MAX_STEPS {
            let mut qualify =
                |start: usize, end: usize| receiver = Some((receiver.map_or(start, |(first, _)| first), end));
            at = match self.rules.name_rule(at)? {
                NameRule::Leaf => return Some(NamePath { name: at, receiver }),
                NameRule::Member { object, name } => {
                    if let Some(object) = at.child_by_field_name(object) {
                        qualify(object.start_byte(), object.end_byte());
                    }
                    at.child_by_field_name(name)?
                }
                NameRule::Inside(field) => at.child_by_field_name(field)?,
                NameRule::First => at.named_child(0)?,
                NameRule::Last => {
                    let n_children = at.named_child_count() as u32;
                    if n_children > 1 {
                        let previous = at.named_child(n_children - 2)?;
                        qualify(at.start_byte(), previous.end_byte());
                    }
                    at.named_child(n_children.checked_sub(1)?)?
                }
            };
        }
        None
    }
}
