//! Conditional compilation whose branches are not complete declarations: one branch stays, and the others are blanked.
//!
//! A grammar parses `#if` around complete declarations. It cannot parse `#if` inside an expression, or a branch that
//! opens a brace which is closed after `#endif`.

use super::tokens::{Directive, DirectiveKind, Token, TokenKind};

/// Keywords whose parentheses are followed by a statement.
const STATEMENT_KEYWORDS: [&[u8]; 4] = [b"if", b"while", b"for", b"switch"];

/// A conditional group: `#if` to `#endif`.
struct ConditionalGroup {
    directives: Vec<(usize, usize)>,
    branches: Vec<ConditionalBranch>,
    /// True if the `#if` is at a position where no declaration or statement can start.
    is_inside: bool,
}

#[derive(Clone, Copy)]
struct ConditionalBranch {
    start: usize,
    end: usize,
    is_disabled: bool,
    /// Number of braces that the branch leaves open.
    depth: i32,
    /// Minimum of `depth` within the branch.
    lowest: i32,
}

/// Returns the byte ranges to blank.
pub(super) fn removable(source: &[u8], tokens: &[Token], directives: &[Directive]) -> Vec<(usize, usize)> {
    let mut removable = Vec::new();
    let mut open: Vec<ConditionalGroup> = Vec::new();
    let mut token_idx = 0;
    let mut braces = OpenBraces::default();
    for directive in directives {
        while let Some(token) = tokens.get(token_idx).filter(|token| token.start < directive.start) {
            count_brace(&mut open, source[token.start]);
            braces.count_last_token(source, &tokens[..=token_idx]);
            token_idx += 1;
        }
        match directive.kind {
            DirectiveKind::If { is_disabled } => {
                let is_inside = is_inside_statement(source, &tokens[..token_idx]);
                open.push(ConditionalGroup {
                    directives: vec![(directive.start, directive.end)],
                    branches: Vec::new(),
                    is_inside,
                });
                open_branch(&mut open, directive.end, is_disabled);
            }
            // An initializer list may come from an included file, or from a macro that is defined just for it.
            DirectiveKind::Define | DirectiveKind::Other if braces.is_in_initializer_list() => {
                removable.push((directive.start, directive.end));
            }
            DirectiveKind::Other if is_in_expression(source, &tokens[..token_idx]) => {
                removable.push((directive.start, directive.end));
            }
            DirectiveKind::Define | DirectiveKind::Other => {}
            DirectiveKind::Else => {
                close_branch(&mut open, directive, source, &tokens[..token_idx]);
                open_branch(&mut open, directive.end, false);
            }
            DirectiveKind::End => {
                close_branch(&mut open, directive, source, &tokens[..token_idx]);
                if let Some(group) = open.pop() {
                    let depth = close_group(group, &mut removable);
                    add_depth(&mut open, depth);
                }
            }
        }
    }
    removable
}

/// Returns true if no declaration or statement can start after these tokens.
fn is_inside_statement(source: &[u8], before: &[Token]) -> bool {
    let text = |token: &Token| &source[token.start..token.end];
    let Some((last, rest)) = before.split_last() else { return false };
    match text(last) {
        b";" | b"{" | b"}" | b">" => false,
        // `A(int a) : b(a)`, rather than a label.
        b":" => rest.last().is_some_and(|token| text(token) == b")"),
        b")" => {
            let head = last.opens.and_then(|open| (open as usize).checked_sub(1)).map(|head| text(&before[head]));
            head.is_some_and(|head| STATEMENT_KEYWORDS.contains(&head))
        }
        _ => true,
    }
}

/// Returns true if these tokens end inside an expression.
fn is_in_expression(source: &[u8], before: &[Token]) -> bool {
    before.last().is_some_and(|last| matches!(&source[last.start..last.end], b"," | b"(" | b"="))
}

/// Returns true if a declaration or statement continues after a branch that starts at a byte and ends with these
/// tokens.
fn continues_after(source: &[u8], start: usize, before: &[Token]) -> bool {
    let Some(last) = before.last().filter(|last| last.start >= start) else { return false };
    match &source[last.start..last.end] {
        b";" | b"{" | b"}" | b":" | b">" => false,
        b")" => is_inside_statement(source, before),
        word => last.kind != TokenKind::Word || matches!(word, b"else" | b"do"),
    }
}

/// The open braces, each with a flag that is true for an initializer list.
#[derive(Default)]
struct OpenBraces {
    open: Vec<bool>,
}

impl OpenBraces {
    /// Updates the braces with the last of these tokens.
    fn count_last_token(&mut self, source: &[u8], tokens: &[Token]) {
        let text =
            |n_back: usize| tokens.iter().rev().nth(n_back).map_or(&b""[..], |token| &source[token.start..token.end]);
        match text(0) {
            b"{" => {
                let is_initializer_list =
                    text(1) == b"=" || self.is_in_initializer_list() && matches!(text(1), b"," | b"{");
                self.open.push(is_initializer_list);
            }
            b"}" => {
                self.open.pop();
            }
            _ => {}
        }
    }

    fn is_in_initializer_list(&self) -> bool {
        self.open.last().copied().unwrap_or(false)
    }
}

fn open_branch(open: &mut [ConditionalGroup], start: usize, is_disabled: bool) {
    if let Some(group) = open.last_mut() {
        group.branches.push(ConditionalBranch { start, end: start, is_disabled, depth: 0, lowest: 0 });
    }
}

fn close_branch(open: &mut [ConditionalGroup], directive: &Directive, source: &[u8], before: &[Token]) {
    if let Some(group) = open.last_mut() {
        group.directives.push((directive.start, directive.end));
        let branch = group.branches.last_mut().expect("a group has at least one branch");
        branch.end = directive.start;
        group.is_inside |= continues_after(source, branch.start, before);
    }
}

fn count_brace(open: &mut [ConditionalGroup], byte: u8) {
    match byte {
        b'{' => add_depth(open, 1),
        b'}' => add_depth(open, -1),
        _ => {}
    }
}

fn add_depth(open: &mut [ConditionalGroup], depth: i32) {
    if let Some(branch) = open.last_mut().and_then(|group| group.branches.last_mut()) {
        branch.depth += depth;
        branch.lowest = branch.lowest.min(branch.depth);
    }
}

/// Blanks all but one branch of an incomplete group. Returns the number of braces that the remaining branch leaves
/// open.
fn close_group(group: ConditionalGroup, removable: &mut Vec<(usize, usize)>) -> i32 {
    let is_balanced = group.branches.iter().all(|branch| branch.depth == 0 && branch.lowest == 0);
    if is_balanced && !group.is_inside {
        return 0;
    }
    let remaining = group.branches.iter().position(|branch| !branch.is_disabled);
    removable.extend(group.directives);
    for (index, branch) in group.branches.iter().enumerate() {
        if Some(index) != remaining {
            removable.push((branch.start, branch.end));
        }
    }
    remaining.map_or(0, |remaining| group.branches[remaining].depth)
}
