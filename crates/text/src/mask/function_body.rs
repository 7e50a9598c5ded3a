//! Finds the literal that a function with a telling name returns, as in `def get_password(): return "x"`.

use super::literal::{begins_literal, read_literal};
use super::reader::Reader;

/// Maximum number of bytes of the parameters, and of the type behind them.
const MAX_PARAMETER_BYTES: usize = 200;
const MAX_TYPE_BYTES: usize = 80;

/// Maximum number of comments before the first statement.
const MAX_COMMENTS: usize = 6;

/// Maximum number of bytes of a body that are searched for a `return`.
const MAX_BODY_BYTES: usize = 300;

/// Returns the position of the literal that is the result of the function or property before the reader: the first statement
/// of the body, or the first `return` of a literal.
pub(super) fn enter_body(mut reader: Reader<'_>, name_start: usize) -> Option<Reader<'_>> {
    skip_signature(&mut reader, name_start)?;
    if reader.before() == b'{' && skip_accessors(&mut reader) {
        return begins_literal(reader).then_some(reader);
    }
    skip_comments(&mut reader);
    for word in ["return ", "return(", "lambda: "] {
        reader.eat(word);
    }
    begins_literal(reader).then_some(reader).or_else(|| find_return(reader))
}

/// Returns the position of the first literal that is returned.
fn find_return(reader: Reader<'_>) -> Option<Reader<'_>> {
    let body = reader.window(MAX_BODY_BYTES).split("\n}").next()?.split("\n\n").next()?;
    let returns = body.match_indices("return ").map(|(at, word)| Reader::new(reader.text, reader.at + at + word.len()));
    returns.into_iter().find(|statement| begins_literal(*statement))
}

/// Moves over the parameters and the type of a function, up to the beginning of its body.
fn skip_signature(reader: &mut Reader<'_>, name_start: usize) -> Option<()> {
    let is_ruby = Reader::new(reader.text, name_start).text_before(4) == "def ";
    let has_parameters = reader.eat("(");
    if has_parameters {
        reader.skip_while(MAX_PARAMETER_BYTES, |byte| !matches!(byte, b')' | b';' | b'{'));
        reader.eat(")").then_some(())?;
    } else if is_ruby && reader.is_at_line_end() {
        return Some(());
    }
    let start = reader.at;
    reader.skip_blanks(4);
    if reader.eat("default ") {
        return Some(());
    }
    let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b" \t_&'<>[]|?.*:\\,()-".contains(&byte);
    reader.skip_while(MAX_TYPE_BYTES, is_type);
    let header = &reader.text[start..reader.at];
    match reader.peek() {
        b'{' => reader.at += 1,
        b'=' if has_parameters => {
            reader.at += 1;
            reader.eat(">");
            reader.skip_blanks(4);
        }
        _ if has_parameters && header.trim_end().ends_with(':') => {}
        _ if is_ruby && has_parameters => {}
        _ => return None,
    }
    Some(())
}

/// Moves over `get; set; } =`, as in C#.
fn skip_accessors(reader: &mut Reader<'_>) -> bool {
    let mut ahead = *reader;
    ahead.skip_blanks(4);
    ahead.skip_while(60, |byte| byte.is_ascii_lowercase() || matches!(byte, b';' | b' '));
    ahead.eat("}");
    ahead.skip_blanks(4);
    let is_initialised = ahead.eat("=");
    ahead.skip_blanks(4);
    if is_initialised {
        *reader = ahead;
    }
    is_initialised
}

/// Moves over comments, the description of a Python function, and whitespace.
fn skip_comments(reader: &mut Reader<'_>) {
    for _ in 0..MAX_COMMENTS {
        reader.skip_space(100);
        let mut description = *reader;
        if reader.peek() == b'#' || reader.rest().starts_with("//") {
            reader.skip_while(200, |byte| byte != b'\n');
        } else if reader.rest().starts_with("\"\"\"") && read_literal(&mut description).is_some() {
            *reader = description;
        } else {
            return;
        }
    }
}
