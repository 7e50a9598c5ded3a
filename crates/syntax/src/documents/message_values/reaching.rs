//! The assignments that may give a name its value in a line. Indentation tells the blocks: an assignment in a block that does not contain
//! the line may or may not have run.

/// Maximum number of lines before a line that are searched for its assignments.
const MAX_LINES: usize = 5_000;

/// Returns the indices of the assignments, in rising order of their lines, that may reach a line: the last one that always runs, and those
/// in blocks behind it. Assignments of other functions are left out if the function around the line has its own.
pub(super) fn reaching(assigned: &[usize], lines: &[&str], index: usize) -> Vec<usize> {
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
        if is_assigned && indentation <= level {
            found.push(remaining - 1);
            break;
        }
        level = level.min(indentation);
        if is_assigned && level_of_first.is_none_or(|first| first == level) {
            level_of_first = Some(level);
            found.push(remaining - 1);
        }
    }
    found
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
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let assigned: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains("q =")).collect();
            let index = lines.iter().position(|line| line.contains("use")).unwrap();
            assert_eq!(reaching(&assigned, &lines, index), expected, "{text}");
        }
    }
}
