//! Conditional code whose branches are no whole declarations: one branch stays, the others are blanked.
//!
//! A grammar reads `#if` around whole declarations. It cannot read it inside of an expression, or where a branch opens
//! a brace that is closed behind `#endif`.

use super::tokens::{Directive, DirectiveKind, Token, TokenKind};

/// An `#if` up to its `#endif`.
struct Group {
    directives: Vec<(usize, usize)>,
    branches: Vec<Branch>,
    /// Whether the `#if` stands where no declaration or statement can start.
    is_inside: bool,
}

#[derive(Clone, Copy)]
struct Branch {
    start: usize,
    end: usize,
    is_never: bool,
    /// Braces opened and not closed.
    depth: i32,
    /// The least that `depth` was on the way.
    lowest: i32,
}

/// Returns the bytes to blank.
pub(super) fn to_blank(source: &[u8], tokens: &[Token], directives: &[Directive]) -> Vec<(usize, usize)> {
    let mut blanked = Vec::new();
    let mut open: Vec<Group> = Vec::new();
    let mut token_idx = 0;
    let mut braces = Braces::default();
    for directive in directives {
        while let Some(token) = tokens.get(token_idx).filter(|token| token.start < directive.start) {
            count_brace(&mut open, source[token.start]);
            braces.count(source, &tokens[..=token_idx]);
            token_idx += 1;
        }
        match directive.kind {
            DirectiveKind::If { is_never } => {
                let is_inside = is_inside(source, &tokens[..token_idx]);
                open.push(Group {
                    directives: vec![(directive.start, directive.end)],
                    branches: Vec::new(),
                    is_inside,
                });
                open_branch(&mut open, directive.end, is_never);
            }
            // A list of values may be included from elsewhere, or made by a macro of the moment.
            DirectiveKind::Define | DirectiveKind::Aside if braces.hold_values() => {
                blanked.push((directive.start, directive.end));
            }
            DirectiveKind::Aside if is_in_expression(source, &tokens[..token_idx]) => {
                blanked.push((directive.start, directive.end));
            }
            DirectiveKind::Define | DirectiveKind::Aside => {}
            DirectiveKind::Else => {
                close_branch(&mut open, directive, source, &tokens[..token_idx]);
                open_branch(&mut open, directive.end, false);
            }
            DirectiveKind::End => {
                close_branch(&mut open, directive, source, &tokens[..token_idx]);
                if let Some(group) = open.pop() {
                    let depth = settle(group, &mut blanked);
                    add_depth(&mut open, depth);
                }
            }
        }
    }
    blanked
}

/// Words whose parentheses a statement follows.
const STATEMENT_HEADS: [&[u8]; 4] = [b"if", b"while", b"for", b"switch"];

/// Says whether no declaration or statement can start behind these tokens.
fn is_inside(source: &[u8], before: &[Token]) -> bool {
    let text = |token: &Token| &source[token.start..token.end];
    let Some((last, rest)) = before.split_last() else { return false };
    match text(last) {
        b";" | b"{" | b"}" | b">" => false,
        // `A(int a) : b(a)`, rather than a label.
        b":" => rest.last().is_some_and(|token| text(token) == b")"),
        b")" => {
            let head = last.opens.and_then(|open| (open as usize).checked_sub(1)).map(|head| text(&before[head]));
            head.is_some_and(|head| STATEMENT_HEADS.contains(&head))
        }
        _ => true,
    }
}

/// Says whether these tokens end in the midst of an expression.
fn is_in_expression(source: &[u8], before: &[Token]) -> bool {
    before.last().is_some_and(|last| matches!(&source[last.start..last.end], b"," | b"(" | b"="))
}

/// Says whether a declaration or statement goes on behind a branch that starts at a byte and ends with these tokens.
fn goes_on(source: &[u8], start: usize, before: &[Token]) -> bool {
    let Some(last) = before.last().filter(|last| last.start >= start) else { return false };
    match &source[last.start..last.end] {
        b";" | b"{" | b"}" | b":" | b">" => false,
        b")" => is_inside(source, before),
        word => last.kind != TokenKind::Word || matches!(word, b"else" | b"do"),
    }
}

/// The braces that are open, and whether values are between them.
#[derive(Default)]
struct Braces {
    open: Vec<bool>,
}

impl Braces {
    /// Goes over the last of these tokens.
    fn count(&mut self, source: &[u8], tokens: &[Token]) {
        let text =
            |n_back: usize| tokens.iter().rev().nth(n_back).map_or(&b""[..], |token| &source[token.start..token.end]);
        match text(0) {
            b"{" => {
                let holds_values = text(1) == b"=" || self.hold_values() && matches!(text(1), b"," | b"{");
                self.open.push(holds_values);
            }
            b"}" => {
                self.open.pop();
            }
            _ => {}
        }
    }

    fn hold_values(&self) -> bool {
        self.open.last().copied().unwrap_or(false)
    }
}

fn open_branch(open: &mut [Group], start: usize, is_never: bool) {
    if let Some(group) = open.last_mut() {
        group.branches.push(Branch { start, end: start, is_never, depth: 0, lowest: 0 });
    }
}

fn close_branch(open: &mut [Group], directive: &Directive, source: &[u8], before: &[Token]) {
    if let Some(group) = open.last_mut() {
        group.directives.push((directive.start, directive.end));
        let branch = group.branches.last_mut().expect("a group has a branch from its start");
        branch.end = directive.start;
        group.is_inside |= goes_on(source, branch.start, before);
    }
}

fn count_brace(open: &mut [Group], byte: u8) {
    match byte {
        b'{' => add_depth(open, 1),
        b'}' => add_depth(open, -1),
        _ => {}
    }
}

fn add_depth(open: &mut [Group], depth: i32) {
    if let Some(branch) = open.last_mut().and_then(|group| group.branches.last_mut()) {
        branch.depth += depth;
        branch.lowest = branch.lowest.min(branch.depth);
    }
}

/// Decides on a whole group; returns by how many braces what stays of it is open.
fn settle(group: Group, blanked: &mut Vec<(usize, usize)>) -> i32 {
    let is_sound = group.branches.iter().all(|branch| branch.depth == 0 && branch.lowest == 0);
    if is_sound && !group.is_inside {
        return 0;
    }
    let kept = group.branches.iter().position(|branch| !branch.is_never);
    blanked.extend(group.directives);
    for (index, branch) in group.branches.iter().enumerate() {
        if Some(index) != kept {
            blanked.push((branch.start, branch.end));
        }
    }
    kept.map_or(0, |kept| group.branches[kept].depth)
}
