//! The stored form of accesses: differences to the access before. They take one byte each as a rule.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ExpressionId, MemberAccess, ScopeId};

/// The differences of expression, scope and line.
type Difference = (i32, i32, i32);

pub(super) fn serialize<S: Serializer>(accesses: &[MemberAccess], serializer: S) -> Result<S::Ok, S::Error> {
    let before = std::iter::once(MemberAccess::default()).chain(accesses.iter().copied());
    let differences: Vec<Difference> =
        before.zip(accesses).map(|(before, access)| difference(before, access)).collect();
    differences.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<MemberAccess>, D::Error> {
    let differences: Vec<Difference> = Deserialize::deserialize(deserializer)?;
    let accesses = differences.into_iter().scan(MemberAccess::default(), |before, difference| {
        *before = after(*before, difference);
        Some(*before)
    });
    Ok(accesses.collect())
}

fn difference(before: MemberAccess, access: &MemberAccess) -> Difference {
    let from = |before: u32, now: u32| now.wrapping_sub(before) as i32;
    (
        from(before.expression.0, access.expression.0),
        from(before.scope.0, access.scope.0),
        from(before.line, access.line),
    )
}

fn after(before: MemberAccess, (expression, scope, line): Difference) -> MemberAccess {
    MemberAccess {
        expression: ExpressionId(before.expression.0.wrapping_add_signed(expression)),
        scope: ScopeId(before.scope.0.wrapping_add_signed(scope)),
        line: before.line.wrapping_add_signed(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_round_trip() {
        let access = |expression, scope, line| MemberAccess {
            expression: ExpressionId(expression),
            scope: ScopeId(scope),
            line,
        };
        let accesses = [access(5, 2, 10), access(9, 2, 10), access(7, 1, 9), access(u32::MAX, 0, u32::MAX)];
        let found = accesses.iter().scan(MemberAccess::default(), |before, access| {
            let back = after(*before, difference(*before, access));
            *before = back;
            Some(back)
        });
        assert_eq!(found.collect::<Vec<_>>(), accesses);
    }
}
