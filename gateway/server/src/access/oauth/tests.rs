//! Tokens of a fake issuer that the tests sign.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _},
};
use serde_json::{Value, json};

use super::{OAuth, OAuthSettings, base64url::encode as base64url};
use crate::access::Denied;
use federation::principal::Principal;

/// An RS256 token and its public key, created with OpenSSL, since ring cannot generate RSA keys.
const RS256_TOKEN: &str = include_str!("tests/rs256.jwt");
const RS256_KEY: &str = include_str!("tests/rs256.jwk");

/// An issuer with one key of each type that ring can generate.
pub(crate) struct TestIssuer {
    ed25519: Ed25519KeyPair,
    p256: EcdsaKeyPair,
    random: SystemRandom,
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

impl TestIssuer {
    pub(crate) fn new() -> TestIssuer {
        let random = SystemRandom::new();
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let ed25519 = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let p256 = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap();
        TestIssuer { ed25519, p256, random }
    }

    pub(crate) fn keys(&self, kid: &str) -> Value {
        let point = self.p256.public_key().as_ref();
        let rs256: Value = serde_json::from_str(RS256_KEY).unwrap();
        json!({"keys": [
            {"kty": "oct", "k": "c2VjcmV0", "kid": "shared"},
            {"kty": "OKP", "crv": "Ed25519", "kid": kid, "use": "sig", "x": base64url(self.ed25519.public_key().as_ref())},
            {"kty": "EC", "crv": "P-256", "kid": "p256", "alg": "ES256",
             "x": base64url(&point[1..33]), "y": base64url(&point[33..])},
            rs256,
        ]})
    }

    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        let message =
            format!("{}.{}", base64url(header.to_string().as_bytes()), base64url(claims.to_string().as_bytes()));
        let signature = match header["alg"].as_str() {
            Some("ES256") => self.p256.sign(&self.random, message.as_bytes()).unwrap().as_ref().to_vec(),
            Some("none") => Vec::new(),
            _ => self.ed25519.sign(message.as_bytes()).as_ref().to_vec(),
        };
        format!("{message}.{}", base64url(&signature))
    }
}

fn header() -> Value {
    json!({"alg": "EdDSA", "kid": "1", "typ": "at+jwt"})
}

fn claims() -> Value {
    json!({
        "iss": "https://id.example.com", "aud": ["https://code.example.com/mcp", "other"], "sub": "ada",
        "exp": now() + 60, "nbf": now(), "scope": "code:read profile", "groups": ["platform-eng", "web"],
    })
}

/// Returns a copy with changed fields; null removes a field.
fn with(mut value: Value, changes: &Value) -> Value {
    for (name, change) in changes.as_object().unwrap() {
        value[name] = change.clone();
    }
    value.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    value
}

fn settings(folder: &Path, keys: &Value) -> OAuthSettings {
    let path = folder.join("keys.json");
    fs::write(&path, keys.to_string()).unwrap();
    let toml = format!(
        "issuer = 'https://id.example.com'\nresource = 'https://code.example.com/mcp'\njwks_file = '{}'\n\
         required_scope = 'code:read'\n\
         [[rule]]\nclaim = 'groups'\nvalue = 'platform-*'\nrepositories = ['acme/*', 'api']\n\
         [[rule]]\nclaim = 'groups'\nvalue = 'web'\nrepositories = ['web', 'api']\n",
        path.display()
    );
    toml::from_str(&toml).unwrap()
}

async fn check(oauth: &OAuth, token: &str) -> Result<Principal, Denied> {
    oauth.holder(token, true).await
}

#[tokio::test]
async fn rules_map_claims_to_repositories() {
    let (issuer, folder) = (TestIssuer::new(), tempfile::tempdir().unwrap());
    let oauth = OAuth::new(&settings(folder.path(), &issuer.keys("1"))).unwrap();
    for (changes, may_read) in [
        (json!({}), ["acme/x", "api", "web"].as_slice()),
        (json!({"groups": "web"}), &["api", "web"]),
        (json!({"groups": ["others"]}), &[]),
        (json!({"groups": null}), &[]),
    ] {
        let token = issuer.sign(&header(), &with(claims(), &changes));
        let principal = check(&oauth, &token).await.unwrap();
        assert_eq!(principal.name(), "oauth:ada");
        for alias in ["acme/x", "api", "web", "secret", "acme"] {
            assert_eq!(principal.may_read(alias, [].into_iter()), may_read.contains(&alias), "{changes}: {alias}");
        }
    }
}

#[tokio::test]
async fn invalid_tokens_are_rejected() {
    let (issuer, other, folder) = (TestIssuer::new(), TestIssuer::new(), tempfile::tempdir().unwrap());
    let oauth = OAuth::new(&settings(folder.path(), &issuer.keys("1"))).unwrap();
    let es256 = json!({"alg": "ES256", "kid": "p256"});
    assert!(check(&oauth, &issuer.sign(&es256, &claims())).await.is_ok());
    assert!(check(&oauth, &issuer.sign(&json!({"alg": "EdDSA"}), &claims())).await.is_ok(), "one key fits");
    for (what, changes) in [
        ("has expired", json!({"exp": now() - 60})),
        ("never expires", json!({"exp": null})),
        ("expires at a word", json!({"exp": "never"})),
        ("is not valid yet", json!({"nbf": now() + 600})),
        ("is valid from a word on", json!({"nbf": "never"})),
        ("is of another issuer", json!({"iss": "https://id.example.com/"})),
        ("is of no issuer", json!({"iss": null})),
        ("is for another resource", json!({"aud": "https://other.example.com"})),
        ("is for nobody", json!({"aud": null})),
        ("is about nobody", json!({"sub": null})),
        ("is about an empty name", json!({"sub": ""})),
        ("is about a name of two lines", json!({"sub": "ada\nroot"})),
        ("is about a number", json!({"sub": 7})),
    ] {
        let token = issuer.sign(&header(), &with(claims(), &changes));
        assert_eq!(check(&oauth, &token).await, Err(Denied::InvalidToken), "one that {what}");
    }
    for changes in [json!({"scope": null}), json!({"scope": "code:readall code"}), json!({"scope": ["x"]})] {
        let token = issuer.sign(&header(), &with(claims(), &changes));
        assert_eq!(check(&oauth, &token).await, Err(Denied::InsufficientScope), "{changes}");
    }
    let sound = issuer.sign(&header(), &claims());
    let (message, signature) = sound.rsplit_once('.').unwrap();
    let (head, _) = message.split_once('.').unwrap();
    let forged = base64url(with(claims(), &json!({"sub": "root"})).to_string().as_bytes());
    for (what, token) in [
        ("signed by another", other.sign(&header(), &claims())),
        ("unsigned", issuer.sign(&json!({"alg": "none"}), &claims())),
        ("that says it is unsigned", format!("{message}.")),
        ("of another algorithm", issuer.sign(&json!({"alg": "HS256", "kid": "1"}), &claims())),
        ("of a shared key", issuer.sign(&json!({"alg": "HS256", "kid": "shared"}), &claims())),
        ("of a key of another kind", issuer.sign(&json!({"alg": "EdDSA", "kid": "p256"}), &claims())),
        (
            "with a word that must be understood",
            issuer.sign(&with(header(), &json!({"crit": ["x"], "x": 1})), &claims()),
        ),
        ("with other claims", format!("{head}.{forged}.{signature}")),
        ("that is cut off", sound[..sound.len() - 4].to_owned()),
        ("with more behind it", format!("{sound}.x")),
        ("of words", "a.b.c".to_owned()),
        ("of nothing", String::new()),
        ("that is endless", format!("{sound}{}", "A".repeat(1 << 20))),
    ] {
        assert_eq!(check(&oauth, &token).await, Err(Denied::InvalidToken), "one {what}");
    }
}

#[tokio::test]
async fn rsa_signatures_are_verified() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(folder.path(), &json!({"keys": [serde_json::from_str::<Value>(RS256_KEY).unwrap()]}));
    settings.required_scope = None;
    let oauth = OAuth::new(&settings).unwrap();
    let token = RS256_TOKEN.trim();
    assert_eq!(check(&oauth, token).await.unwrap().name(), "oauth:rsa");
    let (message, signature) = token.rsplit_once('.').unwrap();
    let broken = format!("{message}.{}{signature}", &signature[..4]);
    assert_eq!(check(&oauth, &broken).await, Err(Denied::InvalidToken));
}

/// Serves the result of `answer` at any path, and counts the requests.
fn serve(answer: impl Fn() -> String + Send + 'static) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/keys", listener.local_addr().unwrap());
    let n_requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&n_requests);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4_096];
            let _ = stream.read(&mut request);
            counted.fetch_add(1, Ordering::SeqCst);
            let body = answer();
            let status = if body.is_empty() { "500 Broken" } else { "200 OK" };
            let length = body.len();
            let _ = write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
        }
    });
    (url, n_requests)
}

#[tokio::test]
async fn unknown_keys_trigger_a_read_and_failed_reads_keep_the_cache() {
    let (first, second, folder) = (TestIssuer::new(), TestIssuer::new(), tempfile::tempdir().unwrap());
    let body = Arc::new(std::sync::Mutex::new(first.keys("1").to_string()));
    let shown = Arc::clone(&body);
    let (url, n_requests) = serve(move || shown.lock().unwrap().clone());
    let by_url = OAuthSettings { jwks_file: None, jwks_url: Some(url), ..settings(folder.path(), &first.keys("1")) };
    let oauth = OAuth::new(&by_url).unwrap();
    assert_eq!(oauth.holder(&first.sign(&header(), &claims()), false).await, Err(Denied::NoKeys));
    let refreshing = tokio::spawn(oauth.refresh_keys());
    assert!(check(&oauth, &first.sign(&header(), &claims())).await.is_ok(), "a request waits for the first read");

    *body.lock().unwrap() = second.keys("2").to_string();
    let of_second = second.sign(&json!({"alg": "EdDSA", "kid": "2"}), &claims());
    let began = std::time::Instant::now();
    assert_eq!(check(&oauth, &of_second).await, Err(Denied::InvalidToken), "within the minimum interval");
    assert!(began.elapsed() < Duration::from_secs(1) && n_requests.load(Ordering::SeqCst) == 1);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(11)).await;
    tokio::time::resume();
    assert!(check(&oauth, &of_second).await.is_ok(), "an unknown key triggers a read");
    assert_eq!(n_requests.load(Ordering::SeqCst), 2);

    body.lock().unwrap().clear();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(11)).await;
    tokio::time::resume();
    let unknown = second.sign(&json!({"alg": "EdDSA", "kid": "3"}), &claims());
    assert_eq!(check(&oauth, &unknown).await, Err(Denied::InvalidToken));
    assert_eq!(n_requests.load(Ordering::SeqCst), 3);
    assert!(check(&oauth, &of_second).await.is_ok(), "a failed read keeps the cache");
    refreshing.abort();
}

#[test]
fn metadata_name_the_authorisation_server() {
    let (issuer, folder) = (TestIssuer::new(), tempfile::tempdir().unwrap());
    let oauth = OAuth::new(&settings(folder.path(), &issuer.keys("1"))).unwrap();
    assert_eq!(oauth.metadata_url(), "https://code.example.com/.well-known/oauth-protected-resource/mcp");
    assert_eq!(
        serde_json::to_value(oauth.metadata()).unwrap(),
        json!({
            "resource": "https://code.example.com/mcp", "authorization_servers": ["https://id.example.com"],
            "scopes_supported": ["code:read"], "bearer_methods_supported": ["header"], "resource_name": "Causeway",
        })
    );
}
