//! The sentence of a README that says what its repository is, if the README begins with something else.

use model::LineSpan;
use proto::v1;

use super::super::sentences;
use super::{
    IntentContext,
    cited_text::{CitedText, citation},
};
use federation::{answer::Answer, fetch::SourceRequest, repo_idx::RepoIdx};

/// Lines of a README that are read.
const MAX_LINES: u32 = 160;

/// Returns the sentences of a definition, `Dock is a server`. If there is none, returns nothing if the stated purpose of the repository says
/// what it is, and otherwise the first sentence of the README and the description of the manifest.
pub(super) async fn defining_sentences(
    context: IntentContext<'_, '_>,
    repo_idx: RepoIdx,
    overview: &v1::RepositoryOverview,
) -> Answer<Vec<CitedText>> {
    let name = last_part(context.plan.alias(repo_idx)).to_lowercase();
    let described: Vec<&v1::SaidBy> = overview.purposes.iter().filter(|purpose| !purpose.path.is_empty()).collect();
    let Some((first, others)) = described.split_first() else { return Answer::complete(Vec::new()) };
    let stated = sentences::sentences(&text::clean(&first.text));
    let is_readme = first.path.to_lowercase().contains("readme");
    if !is_readme || stated.is_empty() {
        return Answer::complete(Vec::new());
    }
    // A sentence that defines the name says more than one that has it.
    let is_stated = stated.iter().any(|sentence| says_what(sentence, &name));
    let lines = LineSpan { start: 1, end: MAX_LINES };
    let plan = context.call.visible.plan_for(vec![repo_idx], false);
    let request = SourceRequest { repo_idx, path: first.path.clone(), lines };
    let fetched = context.call.fetch(&plan, &[request]).await;
    fetched.map(|fetched| {
        let source = fetched.into_iter().flatten().next().map(|source| source.text).unwrap_or_default();
        let found = definition(&text::clean(&source), &name);
        let cite = |(sentence, line): &(String, u32)| {
            CitedText::cited(text::quote(sentence), citation(context.plan, repo_idx, &first.path, (*line, *line)))
        };
        if !found.is_empty() || is_stated {
            return found.iter().map(cite).collect();
        }
        let of_manifest =
            others.iter().find(|other| !other.text.trim().is_empty() && !other.text.trim().contains('\n'));
        let place = |other: &v1::SaidBy| citation(context.plan, repo_idx, &other.path, (1, 1));
        let manifest =
            of_manifest.map(|other| CitedText::cited(text::quote(text::clean(&other.text).trim()), place(other)));
        let stated = stated.first().map(|sentence| (sentence.clone(), 1));
        // Without a manifest, the purpose that the repository states is quoted as a whole.
        manifest.into_iter().flat_map(|said| [stated.as_ref().map(cite), Some(said)]).flatten().collect()
    })
}

fn last_part(alias: &str) -> &str {
    alias.rsplit('/').next().unwrap_or(alias)
}

/// Returns true for a sentence that says what something is: it names the repository, or is a noun with its article.
fn says_what(sentence: &str, name: &str) -> bool {
    let lower = sentence.to_lowercase();
    let is_noun = ["a ", "an ", "the "].iter().any(|article| lower.starts_with(article));
    let is_named = lower.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).any(|word| word == name);
    is_noun || is_named || !sentence.trim_end().ends_with(['.', '?', '!'])
}

/// Returns the sentence that defines a name, and one behind it that goes on with `it`, each with its line.
fn definition(readme: &str, name: &str) -> Vec<(String, u32)> {
    let mut start = 1_u32;
    for paragraph in readme.split("\n\n") {
        let n_lines = paragraph.matches('\n').count() as u32 + 2;
        let found = sentences::sentences(paragraph);
        let defines = |sentence: &String| {
            let lower = sentence.to_lowercase().replace(['`', '*'], "");
            let rest = lower.strip_prefix("the ").unwrap_or(&lower).strip_prefix(name).map(str::to_owned);
            rest.is_some_and(|rest| [" is a ", " is an ", " is the "].iter().any(|verb| rest.starts_with(verb)))
        };
        if let Some(at) = found.iter().position(defines) {
            let line = start + line_of(paragraph, &found[at]);
            let behind = found.get(at + 1).filter(|next| next.starts_with("It ")).map(|next| (next.clone(), line));
            return std::iter::once((found[at].clone(), line)).chain(behind).collect();
        }
        start += n_lines;
    }
    Vec::new()
}

/// Returns the index of the line of a paragraph on which a sentence begins.
fn line_of(paragraph: &str, sentence: &str) -> u32 {
    let words: Vec<&str> = sentence.split(' ').take(3).collect();
    let begins = |line: &&str| line.contains(&words.join(" "));
    paragraph.lines().zip(0..).find(|(line, _)| begins(line)).map_or(0, |(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_defines_its_repository_somewhere() {
        let readme = "# Dock\n\nHarbours cost a lot of money each year.\n\nEnter the harbour now. Dock is a server of\nharbours. It \
                      borrows from ships.\n\nDock is a nice word.\n";
        let found = definition(readme, "dock");
        let expected = [("Dock is a server of harbours.".to_owned(), 5), ("It borrows from ships.".to_owned(), 5)];
        assert_eq!(found, expected);
        assert!(definition("Dock isn't here. The docks are a place.\n", "dock").is_empty());
        assert!(definition("A ship in a dock is a boat at rest.\n", "dock").is_empty());
    }

    #[test]
    fn a_stated_purpose_is_kept_if_it_says_what_the_repository_is() {
        for (sentence, expected) in [
            ("A server of harbours.", true),
            ("Dock serves harbours.", true),
            ("Server of harbours", true),
            ("Harbours cost a lot of money each year.", false),
            ("How do you pay for your harbour?", false),
        ] {
            assert_eq!(says_what(sentence, "dock"), expected, "{sentence}");
        }
    }
}
