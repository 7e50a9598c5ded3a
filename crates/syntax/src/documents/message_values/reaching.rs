//! The assignments that may give a name its value in a line. Indentation tells the blocks: an assignment in a block that does not contain
//! the line may or may not have run.

/// Maximum number of lines before a line that are searched for its assignments.
const MAX_LINES: usize = 5_000;

/// Returns the indices of the assignments, in falling order of their lines, that may reach a line: the last one that always runs, and those
/// in blocks behind it. Assignments of other functions are left out if the function around the line has its own. The second value is true
/// if the last index is that of an assignment that always runs.
pub(super) fn reaching(assigned: &[usize], lines: &[&str], index: usize) -> (Vec<usize>, bool) {
    let mut level = indentation(lines[index]);
    let mut level_of_first = None;
    let mut found = Vec::new();
    let mut remaining = assigned.len();
    for at in (index.saturating_sub(MAX_LINES)..=index).rev() {
        let line = lines[at];
        while remaining > 0 && assigned[remaining - 1] > at {
            remaining -= 1;
        }
        if remaining == 0 {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        let indentation = indentation(line);
        let is_assigned = assigned[remaining - 1] == at;
        if is_assigned && indentation <= level && !is_conditional(line) {
            found.push(remaining - 1);
            return (found, true);
        }
        level = level.min(indentation);
        if is_assigned && level_of_first.is_none_or(|first| first == level) {
            level_of_first = Some(level);
            found.push(remaining - 1);
        }
    }
    (found, false)
}

/// Returns true for a statement that has its condition in the same line: `if paid: topic = 'orders'`.
fn is_conditional(line: &str) -> bool {
    const WORDS: [&str; 7] = ["if", "else", "elif", "elsif", "case", "default", "unless"];
    let line = line.trim_start().trim_start_matches(['}', ' ']);
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
    WORDS.contains(&&line[..end]) && !line[end..].trim_start().starts_with([',', '='])
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_in_blocks_are_alternatives_of_those_before_them() {
        for (text, expected) in [
            ("q = 1\nuse", &[0][..]),
            ("q = 1\nq = 2\nuse", &[1]),
            // Both branches, and a value that one branch replaces.
            ("if\n  q = 1\nelse\n  q = 2\nuse", &[1, 0]),
            ("q = 1\nif\n  q = 2\nuse", &[1, 0]),
            // The block of the line contains the assignment.
            ("q = 1\nif\n  q = 2\n  use", &[1]),
            ("q = 1\nloop\n\n  use", &[0]),
            // Another function has a variable of the same name.
            ("f\n  q = 1\ng\n  q = 2\n  use", &[1]),
            ("f\n  q = 1\ng\n  if\n    q = 2\n  use", &[1]),
            ("f\n  q = 1\ng\n  q = 2\nh\n  use", &[1, 0]),
            ("use\nq = 1", &[]),
            // The condition is in the line.
            ("if a: q = 1\nelse: q = 2\nuse", &[1, 0]),
            ("q = 1\n} else { q = 2 }\nuse", &[1, 0]),
            ("q = 1\ndefault = q = 2\nuse", &[1]),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let assigned: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains("q =")).collect();
            let index = lines.iter().position(|line| line.contains("use")).unwrap();
            let (found, has_base) = reaching(&assigned, &lines, index);
            assert_eq!(found, expected, "{text}");
            let without_base = [
                "if\n  q = 1\nelse\n  q = 2\nuse",
                "f\n  q = 1\ng\n  if\n    q = 2\n  use",
                "f\n  q = 1\ng\n  q = 2\nh\n  use",
                "if a: q = 1\nelse: q = 2\nuse",
                "use\nq = 1",
            ];
            assert_eq!(has_base, !without_base.contains(&text), "{text}");
        }
    }
}
