//! The HTTP client of every outgoing request: one policy for TLS, proxies and redirects.

use std::{error::Error, fs::File, io::Write, net::IpAddr, time::Duration};

use reqwest::{
    ClientBuilder, Url,
    header::{HeaderMap, RETRY_AFTER},
    redirect::Policy,
};
use tokio_rustls::rustls::crypto::ring;

/// Returns a client builder for requests to the configured address `url`.
///
/// The client follows no redirects, since the target of a redirect was not configured and would receive the credentials.
/// It contacts loopback addresses without a proxy.
pub fn builder(url: &Url) -> ClientBuilder {
    // One TLS library for the whole process, which needs only a C compiler. A provider that is already installed stays.
    let _ = ring::default_provider().install_default();
    let mut builder = ClientBuilder::new().redirect(Policy::none());
    if url.scheme() == "http" {
        // Root certificates are not needed, and a machine may have none.
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder
}

/// Writes the body of a GET response into a file: at most `limit` bytes, within a deadline. Redirects are not followed.
pub async fn download(url: &str, file: &mut File, limit: u64, deadline: Duration) -> Result<(), String> {
    let url: Url = url.parse().map_err(|error| format!("it is no URL: {error}"))?;
    let client = builder(&url).build().map_err(|error| error_chain(&error))?;
    let copied = tokio::time::timeout(deadline, async {
        let mut response = client.get(url).send().await.map_err(|error| error_chain(&error))?;
        if !response.status().is_success() {
            return Err(format!("the status is {}", response.status()));
        }
        let mut n_bytes = 0;
        while let Some(chunk) = response.chunk().await.map_err(|error| error_chain(&error))? {
            n_bytes += chunk.len() as u64;
            if n_bytes > limit {
                return Err(format!("it has more than {limit} bytes"));
            }
            file.write_all(&chunk).map_err(|error| error.to_string())?;
        }
        Ok(())
    });
    copied.await.unwrap_or_else(|_| Err(format!("it was not received within {} seconds", deadline.as_secs())))
}

/// Returns the wait that a `Retry-After` header asks for in seconds; `None` for a missing header, and for a date.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds: f64 = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns an error and its causes on one line.
pub fn error_chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.fold(error.to_string(), |line, cause| format!("{line}: {cause}"))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_addresses_are_detected() {
        for (url, expected) in [
            ("http://localhost:11434/v1", true),
            ("http://127.0.0.1/", true),
            ("http://[::1]:8080/", true),
            ("https://localhost.example/", false),
            ("https://10.0.0.1/", false),
        ] {
            assert_eq!(is_loopback(&url.parse().unwrap()), expected, "{url}");
        }
    }

    #[test]
    fn retry_after_is_read_in_seconds() {
        for (value, expected) in
            [("0", Some(0.0)), ("1.5", Some(1.5)), ("-1", None), ("Wed, 21 Oct 2015 07:28:00 GMT", None)]
        {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]);
            assert_eq!(retry_after(&headers), expected.map(Duration::from_secs_f64), "{value}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }

    #[test]
    fn clients_can_be_built_for_both_schemes() {
        for url in ["http://127.0.0.1:1/", "http://models.example/"] {
            builder(&url.parse().unwrap()).build().unwrap();
        }
    }
}
