//! Finds the values of a YAML key that are not on its line, or are several.

use std::ops::Range;

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::bare_value::{read_bare, read_line};
use super::literal::read_literal;
use super::reader::Reader;

/// Finds the values of a YAML key in brackets, in a block of text, or in the list below it. Returns false if there are none.
pub(super) fn find_in_yaml(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) -> bool {
    const MAX_ITEMS: usize = 50;
    let n_found = found.len();
    let mut block = reader;
    if reader.eat("[") {
        while let Some(range) = read_item(&mut reader, read_bare).filter(|_| found.len() < n_found + MAX_ITEMS) {
            found.push(AssignedValue { range, form: ValueForm::Inline });
            reader.eat(",");
        }
    } else if block.skip_while(3, |byte| b"|>-+".contains(&byte)) > 0 && block.is_at_line_end() {
        let range = read_item(&mut block, read_line);
        found.extend(range.map(|range| AssignedValue { range, form: ValueForm::Line }));
    } else if reader.is_at_line_end() {
        while reader.skip_space(MAX_BLANKS) > 0 && reader.eat("- ") && found.len() < n_found + MAX_ITEMS {
            let (range, form) = match read_literal(&mut reader) {
                Some(range) => (Some(range), ValueForm::Item),
                None => (read_item(&mut reader, read_line), ValueForm::Line),
            };
            found.extend(range.map(|range| AssignedValue { range, form }));
        }
    }
    found.len() > n_found
}

fn read_item(reader: &mut Reader<'_>, read: impl Fn(&mut Reader<'_>) -> Option<Range<usize>>) -> Option<Range<usize>> {
    reader.skip_space(MAX_BLANKS);
    read(reader)
}
