//! Instructions for agents: a block for `AGENTS.md` or `CLAUDE.md` that names the tool for each question.

/// Files with instructions for agents that are offered, if they exist in the current folder.
pub(crate) const INSTRUCTION_FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// The block.
pub(crate) const INSTRUCTIONS: &str = "\
## Code of other repositories

The MCP server `causeway` has an index of this repository and of all related ones. It is read-only, and current within seconds. Use it
before text search whenever a question may cross a repository.

| question | tool |
|---|---|
| a question in words | `get_answer` |
| code for a topic, an identifier or a path | `search_codebase` |
| a definition with its callers and callees | `get_context` |
| users of a definition, route or rpc, in all repositories; before changing one | `get_impact` |
| review of a change: broken uses, tests to run, owners | `get_risk` with `changes` |
| repositories and their links | `list_repos`, `get_overview` |

An answer has `coverage`: if it is not complete, an empty result means \"unknown\", not \"no use\".";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn instructions_name_existing_tools() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools");
        let names: Vec<&str> = INSTRUCTIONS
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|word| word.contains('_') && !word.contains(' '))
            .collect();
        assert!(names.len() >= 6, "{names:?}");
        for name in names {
            assert!(pages.join(format!("{name}.md")).is_file(), "{name}");
        }
    }
}
