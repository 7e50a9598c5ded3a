//! Points in time as people read them.

/// Returns seconds since the epoch in the form of RFC 3339; nothing for what is no known point in time.
pub(crate) fn rfc3339(seconds: i64) -> Option<String> {
    /// The last second of the year 9999, after which the form has no room.
    const LAST: i64 = 253_402_300_799;
    if !(1..=LAST).contains(&seconds) {
        return None;
    }
    let (days, second_of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second_of_day / 3_600, second_of_day / 60 % 60, second_of_day % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// Returns year, month and day of a day counted from 1970-01-01, by the eras of 400 years in which the Gregorian
/// calendar repeats (Howard Hinnant, "chrono-compatible low-level date algorithms").
fn civil(days: i64) -> (i64, i64, i64) {
    let from_march_of_year_0 = days + 719_468;
    let (era, day_of_era) = (from_march_of_year_0 / 146_097, from_march_of_year_0 % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_dates() {
        for (seconds, expected) in [
            (1, Some("1970-01-01T00:00:01Z")),
            (951_782_400, Some("2000-02-29T00:00:00Z")),
            (1_767_225_599, Some("2025-12-31T23:59:59Z")),
            (253_402_300_799, Some("9999-12-31T23:59:59Z")),
            (0, None),
            (-5, None),
            (i64::MAX, None),
        ] {
            assert_eq!(rfc3339(seconds).as_deref(), expected, "{seconds}");
        }
    }
}
