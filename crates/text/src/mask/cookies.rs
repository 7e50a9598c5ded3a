//! Finds ids of sessions in headers of cookies, as in `Cookie: theme=dark; session=x`.

use super::assigned_values::ValueForm;
use super::rules::RuleSpec;
use super::secret_value::is_secret;
use super::telling_names::NameKind;

/// Returns the rule for the cookie of a session: in a header, its setter, a variable named `cookie`, or an option of curl.
pub(super) fn rule() -> RuleSpec {
    let header = r#"(?i-u:(?:cookie["'`\]]{0,2}[ \t]{0,8}[:=,]|--cookie|curl[ \t][ -~]*[ \t]-b)[ \t=]{0,8}["'`]?)"#;
    let other_cookies = r#"(?:[^;\n"'`]*;[ \t]*)*?"#;
    let name = r"(?i-u:[a-z0-9_.-]*(?:sess|auth|login|remember)[a-z0-9_.-]*|(?:[a-z0-9_.-]*[_.-])?sid)";
    let value = r#"["']?([A-Za-z0-9%+/_.~!|:-]{16,}={0,2})"#;
    ("(?i-u:cookie)|curl[ \t]".to_owned(), format!("{header}{other_cookies}{name}={value}"), is_session_id)
}

fn is_session_id(value: &str) -> bool {
    is_secret(value, NameKind::Key, ValueForm::Sentence)
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn ids_of_sessions_are_masked() {
        for line in [
            "Cookie: session=SECRET",
            "cookie: theme=dark; session_id=SECRET; lang=de",
            "Set-Cookie: JSESSIONID=SECRET; Path=/; HttpOnly",
            "Set-Cookie: __Host-session=\"SECRET\"; Secure",
            "  -H 'Cookie: PHPSESSID=SECRET; connect.sid=s%3ASECRET' \\",
            "headers = {\"Cookie\": \"sid=SECRET\"}",
            "request.setRequestHeader('Cookie', 'remember_me=SECRET');",
            "document.cookie = \"session=SECRET; path=/\";",
            "curl --cookie \"session=SECRET\" https://example.org",
            "curl -s -b 'ASP.NET_SessionId=SECRET' https://example.org",
        ] {
            let masked = mask_secrets(&line.replace("SECRET", "q8ZtLr2VxN4mWc7KpJ5s")).into_owned();
            assert!(!masked.contains("q8ZtLr2V"), "{masked}");
            assert_eq!(
                masked.replace("s%3A[", "["),
                line.replace("s%3ASECRET", "SECRET").replace("SECRET", "[masked]")
            );
        }
    }

    #[test]
    fn other_cookies_are_kept() {
        for line in [
            "Cookie: theme=q8ZtLr2VxN4mWc7KpJ5s",
            "Cookie: session=q8ZtLr2V",
            "Cookie: session=identifier-of-the-session",
            "Cookie: session=${SESSION_ID_OF_THE_USER_1}",
            "Cookie: session=<the id of the session>",
            "Set-Cookie: session=deleted; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "document.cookie = 'session=' + encodeURIComponent(id);",
            "const inside=q8ZtLr2VxN4mWc7KpJ5s; // of a cookie",
            "session=q8ZtLr2VxN4mWc7KpJ5s",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
