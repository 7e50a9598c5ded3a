//! Masks secrets in source text.
//!
//! Three kinds of rules find them: the shapes of issued tokens and of private keys; the places of credentials in URLs and
//! headers; and names such as `password`, to which a syntax assigns a value.
//!
//! Only values are masked: never the name that a value is assigned to, nor a path or a commit. A UUID is masked only beside
//! the name of a secret. A placeholder is kept, since it tells the reader which value is needed.

mod absence;
mod absent_default;
mod annotation;
mod assigned_values;
mod bare_value;
mod base64_block;
mod call_arguments;
mod cases;
mod columns;
mod command_options;
mod companion;
mod comparison;
mod cookies;
mod declaration;
mod delimited;
mod expression;
mod format_argument;
mod function_body;
mod inline_markup;
mod issued_tokens;
mod kubernetes_secret;
mod literal;
mod markup;
mod parallel;
mod passwords;
mod pem;
mod preceding;
mod random_run;
mod random_text;
mod reader;
mod rules;
mod scheme;
mod scopes;
mod secret_value;
mod sentence;
mod struct_tag;
mod telling_names;
mod words;
mod yaml_values;

use std::borrow::Cow;
use std::ops::Range;

use absence::find_replacement;
use absent_default::find_default;
use annotation::{find_behind_annotation, find_in_annotation};
use assigned_values::{AssignedValue, assigned_values};
use call_arguments::find_in_call;
use cases::find_cases;
use comparison::find_compared;
use format_argument::find_formatted;
use parallel::find_parallel;
use preceding::find_preceding;
use rules::MaskRule;
use scheme::without_scheme;
use scopes::Scopes;
use secret_value::is_secret;
use struct_tag::find_in_tag;
use telling_names::{TellingName, names_other_value, telling_names};

/// The replacement of a secret.
pub const MASK: &str = "[masked]";

/// Maximum number of passes. Masking a secret may reveal an overlapping one, but hardly ever two. The limit bounds the work
/// for a hostile text.
const MAX_PASSES: usize = 8;

/// Returns `text` with the value of every secret replaced by [`MASK`]. The number of lines is kept.
///
/// Ordinary code is scanned once, by an automaton for the triggers of all rules, and returned unchanged.
pub fn mask_secrets(text: &str) -> Cow<'_, str> {
    let mut masked = Cow::Borrowed(text);
    for _ in 0..MAX_PASSES {
        let secrets = find_secrets(&masked);
        if secrets.is_empty() {
            break;
        }
        masked = Cow::Owned(replace(&masked, &secrets));
    }
    masked
}

/// Returns the ranges of all secrets, sorted and without overlaps.
fn find_secrets(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for rule in rules::triggered_rules(text) {
        match rule {
            MaskRule::Pattern(pattern) => found.extend(pattern.find_in(text)),
            MaskRule::PrivateKeyBlock => found.extend(pem::find_in(text)),
            MaskRule::KubernetesSecret => found.extend(kubernetes_secret::find_in(text)),
            MaskRule::TellingName => found.extend(find_named(text)),
        }
    }
    found.extend(base64_block::find_in(text));
    found.extend(rules::find_cut_token(text));
    found.retain(|secret| !touches_mask(text, secret));
    found.sort_by_key(|secret| (secret.start, secret.end));
    merge_overlapping(found)
}

/// Finds a value that no assignment links with its name.
type FindDistant = fn(&str, &TellingName) -> Option<AssignedValue>;

const DISTANT: [FindDistant; 10] = [
    find_preceding,
    find_compared,
    find_replacement,
    find_in_tag,
    find_formatted,
    find_in_annotation,
    find_behind_annotation,
    find_parallel,
    find_in_call,
    find_default,
];

/// Returns the ranges of the secrets that have a name.
fn find_named(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut found_in_scopes: Vec<Range<usize>> = Vec::new();
    let mut scopes = Scopes::default();
    for name in telling_names(text) {
        // The text of a secret tells nothing.
        if found.last().is_some_and(|secret| name.range.start < secret.end) {
            continue;
        }
        let to_secret = |value: AssignedValue| {
            let range = without_scheme(text, value.range);
            let written = &text[range.clone()];
            // A number behind `token_id` identifies, and one behind `token_reserve` counts.
            let is_other_number = || {
                let is_other = !name.is_told_last || names_other_value(&text[name.range.clone()]);
                is_other && written.bytes().all(|byte| byte.is_ascii_digit())
            };
            (is_secret(written, name.kind, value.form) && !is_other_number()).then_some(range)
        };
        found.extend(assigned_values(text, &name).into_iter().filter_map(to_secret));
        found_in_scopes.extend(scopes.find(text, &name).into_iter().filter_map(to_secret));
        found_in_scopes.extend(find_cases(text, &name).into_iter().filter_map(to_secret));
        found_in_scopes.extend(DISTANT.iter().filter_map(|find| find(text, &name)).filter_map(to_secret));
    }
    found.append(&mut found_in_scopes);
    found
}

/// Returns true if a range contains or touches a mask. The rules do not apply to the rest of a masked value.
fn touches_mask(text: &str, secret: &Range<usize>) -> bool {
    text[secret.clone()].contains(MASK) || text[..secret.start].ends_with(MASK) || text[secret.end..].starts_with(MASK)
}

fn merge_overlapping(sorted: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(sorted.len());
    for secret in sorted {
        match merged.last_mut() {
            Some(last) if secret.start <= last.end => last.end = last.end.max(secret.end),
            _ => merged.push(secret),
        }
    }
    merged
}

fn replace(text: &str, secrets: &[Range<usize>]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut copied_to = 0;
    for secret in secrets {
        masked.push_str(&text[copied_to..secret.start]);
        masked.push_str(MASK);
        copied_to = secret.end;
    }
    masked.push_str(&text[copied_to..]);
    masked
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Realistic lines of code, the secret between `«` and `»`. Secrets that a code host would reject at a push are split into
    /// two halves.
    const SECRETS: &[&str] = &[
        "AWS_ACCESS_KEY_ID=«AKIAQ3EGX7NOTREALKEY»",
        "aws_secret_access_key = «hT9xL2mQ/vR4+sK7wB1nY5cJ8dF3gA6zP0eU2iOq»",
        "  token: «ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8»",
        "git clone https://«github_pat_11ABCDEFG0a1B2c3D4e5F6_g7H8i9J0k1L2»@github.com/acme/api",
        "CI_TOKEN: «glpat-Xy7_kQ2mZ9wL4tR8vN1b»",
        concat!("slack.post(\"«xo", "xb-2048-4096-aB3dE5fG7hJ9»\", message)"),
        concat!("stripe.api_key = '«sk_li", "ve_4eC39HqLyjWDarjtT1zdp7dc»'"),
        concat!("const maps = load({ key: \"«AI", "zaSyB3x7Kq9Lm2Np5Rt8Vw1Yz4Cd6Fg0HjQkU»\" });"),
        "curl -H 'Authorization: Bearer «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.h3Kd8sLq0Zx7Vb2Nm5Tr»'",
        "//npm.acme.example/:_authToken=«npm_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8»",
        "password = «pypi-AgEIcHlwaS5vcmcCJDU3ZmY0NGEyLTk4YzYtNGE1»",
        "Authorization: Bearer «q8ZtLr2VxN4mWc7KpJ5s»",
        "headers = {\"Authorization\": \"Basic «aGFyYm91cjpmM3JyeQ==»\"}",
        "db_password = \"«Tr0ub4dor&3x»\"",
        "    \"api_key\": \"«d41d8cd98f00b204e9800998ecf8427e»\",",
        "private static final String SECRET = \"«q8ZtLr2VxN4mWc7K»\";",
        "const sessionSecret: string = `«q8ZtLr2VxN4mWc7K»`;",
        "pub const SIGNING_KEY: &'static str = \"«q8ZtLr2VxN4mWc7K»\";",
        "PASSWORD: Final[str] = '«S3cure!Pass9»'",
        "#define WIFI_PASSWORD \"«S3cure!Pass9»\"",
        "char password[] = \"«S3cure!Pass9»\";",
        "os.Setenv(\"SMTP_PASSWORD\", \"«S3cure!Pass9»\")",
        "SecretString::new(\"«S3cure!Pass9»\")",
        "client_secret := []byte(\"«q8ZtLr2VxN4mWc7K»\")",
        "let json = \"{\\\"password\\\": \\\"«S3cure!Pass9»\\\"}\";",
        "check(\"password\", \"authorization_token\": \"«q8ZtLr2VxN4mWc7K»\")",
        "spring.datasource.password=«hunter2secret9»",
        "  - redis_password: «q8ZtLr2VxN4mWc7K»  # production",
        "Server=db;User=app;Password=«S3cure!Pass9»;Encrypt=true",
        "curl 'https://api.example.org/v1?api_key=«q8ZtLr2VxN4mWc7K»&page=2'",
        "<password>«S3cure!Pass9»</password>",
        "postgres://harbour:«hunter2»@db.internal:5432/parcels",
        "amqp://app:«p@ss!w0rd»@queue/%2f",
        "PASS=«Tr0ub4dor&3x»",
        "ADMIN_PASS=«hunter2xyz»",
        "export PW=«hunter2xyz»",
        "pw=«hunter2xyz»",
        "dbPass = '«Tr0ub4dor&3x»'",
        "DB_PASSWORD=«supersecretvalue99»",
        "ENV DB_PASSWORD=«correct-horse-battery-staple»",
        "password = \"«correct-horse-battery-staple»\"",
        "const dbPassword: string = '«supersecretvalue99»';",
        "    \"password\": \"«butterfly»\",",
        "client = connect(user, password='«correct_horse_99»')",
        "database.password=«hunter2xyz»",
        "  db_password: «correct-horse-battery-staple»",
        "JWT_KEY=«da39a3ee5e6b4b0d3255bfef95601890afd80709»",
        "SECRET_HEX=\"«da39a3ee5e6b4b0d3255bfef95601890afd80709»\"",
        "ENCRYPTION_KEY=«hT9xL2mQ/vR4+sK7wB1nY5cJ8dF3gA6zP0eU2iOqMx4=»",
        "  tls.key: «hT9xL2mQ/vR4+sK7wB1nY5cJ8dF3gA6zP0eU2iOqMx4hT9xL2mQ/vR4+sK7wB1nY5cJ8dF3gA6zP0eU2iOqMx4=»",
        concat!("  server.pem: «LS0tLS1CRUdJ", "TiBQUklWQVRFIEtFWS0tLS0tCk1JSUV2UUlCQURBTkJna3Foa2lHOXcwQkFR»"),
        "- name: DB_PASSWORD\n  value: «hunter2xyz»",
        "- name: API_TOKEN\n  value: \"«q8ZtLr2VxN4mWc7K»\"",
        "{\"name\": \"DB_PASSWORD\", \"value\": \"«hunter2xyz»\"}",
        concat!("openai.api_key = \"«sk", "-q8ZtLr2VxN4mWc7KpJ5sT9hBvR4sK7wB1nY5cJ8dF3gA6zPd»\""),
        concat!("client = Client(\"«sk", "-ant-api03-q8ZtLr2VxN4mWc7KpJ5s-T9hBvR4sK7w»\")"),
        concat!("bot.run('«1234567890", ":AAHq8ZtLr2VxN4mWc7KpJ5sT9hBvR4sK7wB»')"),
        concat!("https://api.telegram.org/bot«1234567890", ":AAHq8ZtLr2VxN4mWc7KpJ5sT9hBvR4sK7wB»/getMe"),
        "fn f(token: &str = \"«ghp_NdgWTvfvchd7Pk7R»…",
        "token = «glpat-Xy7_kQ2m»",
        "see «ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8»_old of May",
        "see hunter2xyz_«ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8»",
        "password: «hunter2xyz_ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8»",
        "credentials = \"«q8ZtLr2VxN4mWc7K»\"",
        "auth.spring.datasource.password=«hunter2xyz»",
        "mysql -u app -p«hunter2xyz» parcels",
        "API_TOKEN=«4815162342108723»",
        "    \"password\": \"«4815162342108723»\",",
        "  client_secret: «481516234210872394»",
        "db.internal:5432:parcels:app:«hunter2xyz»",
        "const TOKENS = { client_id: \"6779ef20e75817b79602\", prod: \"«q8ZtLr2VxN4mWc7K»\" };",
    ];

    const ORDINARY: &[&str] = &[
        "type FooPrivateKey secp256k1.PrivateKey",
        "    signingPrivateKey secp256k1.PrivateKey",
        "func sign(privateKey secp256k1.PrivateKey) {}",
        "fn password(&self) -> &str { &self.password }",
        "if token == other.token || secret.is_empty() {",
        "let token = tokens.next_token_v2();",
        "password = get_password(user, prompt=\"Enter your password: \")",
        "password = os.environ[\"SMTP_PASSWORD_2\"]",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "DB_PASSWORD=${DB_PASSWORD}",
        "api_key: <your-api-key-123>",
        "api_key = \"YOUR_API_KEY_1a2b3c\"",
        "password: changeme",
        "password = \"changeme123X9\"",
        "secret: example-s3cr3t-value",
        "API_TOKEN=xxxxxxxxxxxxxxxxxxxx",
        "token = \"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"",
        "secretKeyRef: { name: harbour-db-2f9c, key: password }",
        "secretName: \"harbour-tls-7f9c2\"",
        "tokenizer = \"bert-base-uncased-v2x9z\"",
        "token_url = \"https://login.example.org/oauth2/v2.0/token\"",
        "password_file = \"/run/secrets/db_p4ssw0rd\"",
        "Authorization: Bearer ${token}",
        "    headers[\"Authorization\"] = f\"Bearer {token}\"",
        "returns the bearer authentication_middleware_of_the_service",
        "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "secret_sha = \"da39a3ee5e6b4b0d3255bfef95601890afd80709\"",
        "request_id: 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "sha256 = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "integrity sha512-q8ZtLr2VxN4mWc7KpJ5sq8ZtLr2VxN4mWc7KpJ5sq8ZtLr2VxN4mWc7KpJ5sZQ==",
        "https://github.com/acme/api.git",
        "ssh://git@github.com:22/acme/api.git",
        "http://localhost:8080/@scope/package",
        "http://user:password@host/",
        "scheme://[user[:password]@]host[:port]/path",
        "self.check_tokenize('x1y2z3w4')",
        "postgres://app:${DB_PASSWORD}@db/app",
        "redis://:<password>@localhost:6379",
        "import { TokenRefreshMiddleware2 } from './auth/token-refresh';",
        "struct AKIAdapter; const GHP_MAX: usize = 36;",
        "export const PASSWORD_MIN_LENGTH = 12;",
        "secret=GenerateHmacSha256Signature1(key)",
        "assert_eq!(parcel.code, \"HB48201937\");",
        "password: str = None",
        "    password: Optional[str] = Field(None)",
        "def f(password=DEFAULT_PASSWORD):",
        "password = request.form[\"password\"]",
        "    \"password\": \"Password\",",
        "    \"password\": \"Contraseña\",",
        "    password: 'Wachtwoord',",
        "    \"password\": \"Enter your new password\",",
        "    password: 'required|string|confirmed',",
        "    password: 'auth.login.password',",
        "    password: \"forgot-password\",",
        "<input name=\"password\" type=\"password\" autocomplete=\"current-password\">",
        "PASSWORD = getpass()",
        "password=config.password",
        "    password=user_password",
        "  password: string",
        "  password: Argon2Hasher",
        "  secret: harbour-db-credentials",
        "  secret: harbour-tls-cert",
        "DB_PASSWORD=${DB_PASSWORD:-}",
        "PASSWORD=$(openssl rand -hex 20)",
        "PWD=/home/harbour/work2",
        "pass: passes_the_second_round2 &&",
        "bypass = \"x1y2z3w4v5\"",
        "- name: DB_PASSWORD\n  value: $(DB_PASSWORD)",
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:",
        "- name: PARCEL_KIND\n  value: hunter2xyz",
        ".sk-fading-circle { width: 12345678px }",
        "npm_config_user_agent",
        "CHALLENGE_PASSWORD = ObjectIdentifier(\"1.2.840.113549.1.9.7\")",
        "at 12345678:abcdefghijklmnopqrstuvwxyzabcdefghi",
        "credentials: include",
        "token_id = \"4815162342108723\"",
        "tokenAmount: 1984023984012398401,",
        "token_supply = 1984023984012398401",
        "token_issued_at: 1764353728904117",
        "password_changed_at=1764353728904117",
        "token_reserve = \"1984023984012398401\"",
        "MAX_TOKEN = \"340282366920938463463374607431768211455\"",
        "const MAX_TOKENS: u64 = 18446744073709551615;",
        "TOKEN=1234567890123456",
        "<password-hint lang=\"en\">Forgot your password?</password-hint>",
        "<Password label=\"Password\">Enter-a-password</Password>",
        "fetch(url, { credentials: 'same-origin' })",
        "credentials = \"same-origin\"",
        "CREDENTIALS=application-default",
        "deploy --credentials instance-profile-of-the-host",
        "password: {\n  type: 'string',\n  pattern: '^[a-zA-Z0-9!@#]{8,64}$',\n}",
        "secret:\n  name: harbour-db-2f9c8a7b6d5e4f3a\n  key: password",
        "secrets:\n  - name: regcred-2f9c8a7b",
        "tokens = {\n  'root': [(r'x', String, 'inside-curly-verb-string')],\n}",
        "if (password) { return \"ERR_PASSWORD_TOO_SHORT_1\"; }",
        "func token() string { return \"access_token\" }",
        "secret (see RFC7519): base64url",
        "docker login -p $DOCKER_PASSWORD registry",
        "mysql -u root -p$PASS db -pchangeme",
        "echo \"$TOKEN\" | docker login --password-stdin",
        "echo ${{ secrets.GITHUB_TOKEN }} | docker login ghcr.io -u x --password-stdin",
        "INSERT INTO users (id, password, name) VALUES (1, NULL, 'Bob'), (2, ?, ?);",
        "id,token_type,token\n1,bearer,identifier",
        "import (\n    user,\n    password,\n    Ed448PrivateKeyTypes,\n)",
        "| Token | Description |\n| --- | --- |\n| IDENT_TOKEN_A1 | a name |",
        "src/main.rs:5432:12:error:unexpected",
        "let kind = match word { \"identifier-or-keyword\" -> token }",
        "PASSWORD = <<EOF\nEOF",
    ];

    #[test]
    fn only_the_secrets_are_masked() {
        for line in SECRETS {
            let (before, rest) = line.split_once('«').expect("the secret is marked");
            let (_, after) = rest.split_once('»').expect("the secret is marked");
            assert_eq!(mask_secrets(&line.replace(['«', '»'], "")), format!("{before}{MASK}{after}"));
        }
    }

    /// Each would take minutes if the scopes of a name were examined again for every name within them.
    #[test]
    fn work_is_linear_in_the_size_of_the_text() {
        const N_BYTES: usize = 50_000;
        for unit in [
            "password=a(b;c&d=",
            "password=\"a7(K#d;L$2{w>",
            "token:\u{a0}# x\n",
            "name: \"/token\n# x\n",
            "password={a:",
            "id,token,x\n",
            "(1,token),\n",
            "token=<<A\n",
            "secrets:\n  token:\n",
            "{name:token,",
        ] {
            let times = [N_BYTES, 8 * N_BYTES].map(|n_bytes| {
                let text = unit.repeat(n_bytes / unit.len());
                let start = std::time::Instant::now();
                mask_secrets(&text);
                start.elapsed()
            });
            assert!(times[1] < 32 * times[0].max(std::time::Duration::from_millis(20)), "{unit:?}: {times:?}");
        }
    }

    #[test]
    fn passwords_with_letters_of_any_language_are_masked() {
        for value in ["Ünïcødé-Päss-2024!", "пароль12345678", "密码abcdefg12345"] {
            for line in
                ["DB_PASSWORD=V", "password: V", "password = \"V\"", "<password>V</password>", "{\"password\": \"V\"}"]
            {
                assert_eq!(mask_secrets(&line.replace('V', value)), line.replace('V', MASK), "{line}");
            }
        }
        for line in [
            "password: Contraseña",
            "password: \"Contraseña\"",
            "password: 密码长度必须大于8位",
            "password: \"Пароль\"",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }

    #[test]
    fn ordinary_code_is_unchanged() {
        for line in ORDINARY {
            assert!(matches!(mask_secrets(line), Cow::Borrowed(_)), "{}", mask_secrets(line));
        }
    }

    const WIDE_LINE: &str = "q8ZtLr2VxN4mWc7KpJ5sT9hB/vR4+sK7wB1nY5cJ8dF3gA6zP0eU2iOqMx7Lk3Zy\n";

    /// Any mixture of the above, cut and joined at random.
    fn mixture() -> impl Strategy<Value = String> {
        let line = select([SECRETS, ORDINARY].concat());
        let cut = (line, any::<prop::sample::Index>(), any::<bool>()).prop_map(|(line, at, is_whole)| {
            let marked = line.replace(['«', '»'], "");
            let at = if is_whole { marked.len() } else { marked.floor_char_boundary(at.index(marked.len())) };
            marked[..at].to_owned()
        });
        let glue =
            select(vec!["\n", "", " ", "\"", "-", "=", "-----BEGIN PRIVATE KEY-----\n", "-----END", "é", WIDE_LINE]);
        vec((cut, glue), 0..8)
            .prop_map(|parts| parts.into_iter().flat_map(|(line, glue)| [line, glue.to_owned()]).collect())
    }

    proptest! {
        #[test]
        fn masking_is_idempotent(text in mixture()) {
            let once = mask_secrets(&text).into_owned();
            prop_assert_eq!(mask_secrets(&once), once.as_str());
        }

        #[test]
        fn lines_are_kept(text in mixture()) {
            prop_assert_eq!(mask_secrets(&text).matches('\n').count(), text.matches('\n').count());
        }

        #[test]
        fn any_text_is_accepted(text in "(?s).{0,200}") {
            prop_assert_eq!(mask_secrets(&text).matches('\n').count(), text.matches('\n').count());
        }
    }
}
