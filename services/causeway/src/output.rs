//! Standard output, and number formatting.

use std::{
    io::{self, Write as _},
    time::Duration,
};

use runtime::telemetry;

/// Maximum wait for earlier lines of standard error, so that both streams of a terminal are in order.
const ORDER_DEADLINE: Duration = Duration::from_millis(100);

/// Prints one or several lines, after the lines of standard error so far. A closed reader is not an error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    telemetry::flush_log(ORDER_DEADLINE);
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(&serde_json::to_string_pretty(value)?)?)
}

/// Returns a number with thousands separators: `5,300`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number with its noun: `1 file`, `2 files`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// Formats milliseconds as seconds: `8.1 s`.
pub(crate) fn seconds(milliseconds: u64) -> String {
    if milliseconds < 1_000 {
        format!("{:.2} s", milliseconds as f64 / 1e3)
    } else {
        format!("{:.1} s", milliseconds as f64 / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (66_000, "66,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(count(1, "repository", "repositories"), "1 repository");
        assert_eq!((seconds(87), seconds(8_140)), ("0.09 s".to_owned(), "8.1 s".to_owned()));
    }
}
