//! Formats points in time for output.

use jiff::{SignedDuration, civil};

/// Formats Unix seconds as RFC 3339 in UTC. Returns `None` for 0 and below, which mean an unknown time, and after the year 9999.
pub fn rfc3339(seconds: i64) -> Option<String> {
    const EPOCH: civil::DateTime = civil::date(1970, 1, 1).at(0, 0, 0, 0);
    if seconds <= 0 {
        return None;
    }
    let utc = EPOCH.checked_add(SignedDuration::from_secs(seconds)).ok()?;
    Some(format!("{utc}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unix_seconds_are_formatted_in_utc() {
        for (seconds, expected) in [
            (1, Some("1970-01-01T00:00:01Z")),
            (951_782_400, Some("2000-02-29T00:00:00Z")),
            (1_767_225_599, Some("2025-12-31T23:59:59Z")),
            (253_402_300_799, Some("9999-12-31T23:59:59Z")),
            (253_402_300_800, None),
            (0, None),
            (-5, None),
            (i64::MAX, None),
        ] {
            assert_eq!(rfc3339(seconds).as_deref(), expected, "{seconds}");
        }
    }
}
