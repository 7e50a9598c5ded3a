//! The configuration file: for a gateway and for the laptop that of gateways, for a worker one of its own. `model` is the same
//! key in both.

use std::net::SocketAddr;

use gateway::{Config, Settings};

use crate::{
    cli::Global,
    exit::{Exit, Failure},
};

/// Returns what a gateway starts with, and the workers that its file lists.
pub(crate) fn gateway(global: &Global, listen: Option<SocketAddr>) -> anyhow::Result<(Config, Vec<String>)> {
    let mut settings = read(global, Settings::from_toml)?.unwrap_or_default();
    settings.listen = listen.unwrap_or(settings.listen);
    let workers = std::mem::take(&mut settings.workers);
    Ok((Config::try_from(settings)?, workers))
}

/// Returns what a worker and a gateway in one process start with.
pub(crate) fn laptop(global: &Global, listen: Option<SocketAddr>) -> anyhow::Result<Config> {
    let (config, workers) = gateway(global, listen)?;
    if !workers.is_empty() {
        let message = "`workers` is for `causeway gateway`: everything else has its own";
        return Err(Failure::new(Exit::Usage, message).into());
    }
    Ok(config.without_drain())
}

/// Returns what a worker starts with.
pub(crate) fn worker(global: &Global) -> anyhow::Result<worker::Settings> {
    Ok(read(global, worker::Settings::from_toml)?.unwrap_or_default())
}

/// Reads the file, if one is named.
fn read<S, E: ToString>(global: &Global, read: impl Fn(&str) -> Result<S, E>) -> Result<Option<S>, Failure> {
    let Some(path) = global.config.as_deref().filter(|path| !path.as_os_str().is_empty()) else { return Ok(None) };
    let refused =
        |reason: &str| Failure::new(Exit::Usage, format!("configuration file `{}`: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refused(&error.to_string()))?;
    read(&text).map(Some).map_err(|error| refused(&on_one_line(&error.to_string())))
}

/// Returns an error of TOML on one line, without the excerpt that it draws.
fn on_one_line(error: &str) -> String {
    let is_drawn = |line: &&str| line.contains(" | ") || line.trim_end().ends_with(" |");
    let said: Vec<&str> = error.lines().filter(|line| !is_drawn(line) && !line.trim().is_empty()).collect();
    said.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_file_take_one_line() {
        let error = Settings::from_toml("lisen = 1").unwrap_err().to_string();
        let line = on_one_line(&error);
        assert!(line.starts_with("TOML parse error at line 1, column 1: unknown field `lisen`, expected"), "{line}");
    }

    #[test]
    fn the_model_is_one_key_in_both_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("causeway.toml");
        let global = Global { config: Some(file.clone()), ..Global::default() };
        let refused = |error: anyhow::Error| (crate::exit::of(&error), error.to_string());
        std::fs::write(&file, "model = 'built-in'").unwrap();
        assert_eq!(laptop(&global, None).unwrap().model(), &worker(&global).unwrap().model);
        std::fs::write(&file, "model = { url = 'host' }").unwrap();
        for (exit, error) in [refused(laptop(&global, None).unwrap_err()), refused(worker(&global).unwrap_err())] {
            assert_eq!(exit, Exit::Usage);
            assert!(error.contains("causeway.toml") && error.contains("`url`"), "{error}");
        }
        std::fs::write(&file, "workers = ['http://host:1']").unwrap();
        assert_eq!(refused(laptop(&global, None).unwrap_err()).0, Exit::Usage);
    }
}
