//! Connection strings of databases as addresses: `Server=db;Database=shop;User Id=sa;Password=x` is `mssql://db/shop`.

/// Names of the part with the host.
const HOSTS: [&str; 5] = ["server", "host", "data source", "address", "addr"];

/// Names of the part with the database.
const DATABASES: [&str; 3] = ["database", "initial catalog", "dbname"];

/// Returns host and database of a connection string; `None` for any other value. No other part leaves it.
pub(super) fn database(value: &str) -> Option<String> {
    if !value.contains('=') {
        return None;
    }
    // PostgreSQL separates the parts by spaces as well.
    let separator = if value.contains(';') { ';' } else { ' ' };
    let part = |names: &[&str]| {
        value.split(separator).find_map(|part| {
            let (name, value) = part.split_once('=')?;
            names.contains(&name.trim().to_ascii_lowercase().as_str()).then(|| value.trim().trim_matches(['"', '\'']))
        })
    };
    let host = part(&HOSTS)?.trim_start_matches("tcp:").split([',', ':']).next()?;
    let name = part(&DATABASES)?;
    let is_name = |text: &str| {
        !text.is_empty() && text.len() <= 100 && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    let scheme = if value.to_ascii_lowercase().contains("host") { "postgres" } else { "mssql" };
    (is_name(host) && is_name(name)).then(|| format!("{scheme}://{}/{name}", host.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_strings_are_addresses() {
        for (value, expected) in [
            ("Server=db,1433;Database=Shop;User Id=sa;Password=hunter2", Some("mssql://db/Shop")),
            ("Host=pg;Port=5432;Database=shop;Username=u;Password=hunter2", Some("postgres://pg/shop")),
            ("host=pg user=u password=hunter2 dbname=shop", Some("postgres://pg/shop")),
            ("Data Source=tcp:db;Initial Catalog=shop", Some("mssql://db/shop")),
            // Without a host or a database, and another notation.
            ("Server=db;Password=hunter2", None),
            ("Endpoint=sb://x;SharedAccessKey=hunter2", None),
            ("Server=db;Database=hunter2/x", None),
        ] {
            assert_eq!(database(value).as_deref(), expected, "{value}");
        }
    }
}
