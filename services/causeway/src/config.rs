//! Configuration files: gateway and laptop mode share one format, workers have their own. Both have the key `model`.

use std::net::SocketAddr;

use gateway::{GatewayConfig, GatewaySettings};

use crate::{
    exit::{CommandError, Exit},
    options::GlobalOptions,
};

/// Returns the configuration of a gateway, and the workers that its file lists.
pub(crate) fn gateway(
    global: &GlobalOptions,
    listen: Option<SocketAddr>,
) -> anyhow::Result<(GatewayConfig, Vec<String>)> {
    let mut settings = read_file(global, GatewaySettings::from_toml)?.unwrap_or_default();
    settings.listen = listen.unwrap_or(settings.listen);
    let workers = std::mem::take(&mut settings.workers);
    Ok((GatewayConfig::try_from(settings)?, workers))
}

/// Returns the configuration of the laptop mode.
pub(crate) fn laptop(global: &GlobalOptions, listen: Option<SocketAddr>) -> anyhow::Result<GatewayConfig> {
    let (config, workers) = gateway(global, listen)?;
    if !workers.is_empty() {
        let message = "`workers` is a key of `causeway gateway` only";
        return Err(CommandError::new(Exit::Usage, message).into());
    }
    Ok(config.without_drain())
}

/// Returns the settings of a worker.
pub(crate) fn worker(global: &GlobalOptions) -> anyhow::Result<worker::WorkerSettings> {
    Ok(read_file(global, worker::WorkerSettings::from_toml)?.unwrap_or_default())
}

/// Parses the configuration file, if one is named.
fn read_file<S, E: ToString>(
    global: &GlobalOptions,
    read_file: impl Fn(&str) -> Result<S, E>,
) -> Result<Option<S>, CommandError> {
    let Some(path) = global.config.as_deref().filter(|path| !path.as_os_str().is_empty()) else { return Ok(None) };
    let invalid =
        |reason: &str| CommandError::new(Exit::Usage, format!("configuration file `{}`: {reason}", path.display()));
    let text = files::read_text(path, files::MAX_SETTINGS_BYTES).map_err(|error| invalid(&error.to_string()))?;
    read_file(&text).map(Some).map_err(|error| invalid(&to_single_line(&error.to_string())))
}

/// Returns a TOML error on one line, without its source excerpt.
fn to_single_line(error: &str) -> String {
    let is_excerpt = |line: &&str| line.contains(" | ") || line.trim_end().ends_with(" |");
    let lines: Vec<&str> = error.lines().filter(|line| !is_excerpt(line) && !line.trim().is_empty()).collect();
    lines.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_errors_fit_on_one_line() {
        let error = GatewaySettings::from_toml("lisen = 1").unwrap_err().to_string();
        let line = to_single_line(&error);
        assert!(line.starts_with("TOML parse error at line 1, column 1: unknown field `lisen`, expected"), "{line}");
    }

    #[test]
    fn model_is_a_key_of_both_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("causeway.toml");
        let global = GlobalOptions { config: Some(file.clone()), ..GlobalOptions::default() };
        let invalid = |error: anyhow::Error| (crate::exit::of(&error), error.to_string());
        std::fs::write(&file, "model = 'built-in'").unwrap();
        assert_eq!(laptop(&global, None).unwrap().model(), &worker(&global).unwrap().model);
        std::fs::write(&file, "model = { url = 'host' }").unwrap();
        for (exit, error) in [invalid(laptop(&global, None).unwrap_err()), invalid(worker(&global).unwrap_err())] {
            assert_eq!(exit, Exit::Usage);
            assert!(error.contains("causeway.toml") && error.contains("`url`"), "{error}");
        }
        std::fs::write(&file, "workers = ['http://host:1']").unwrap();
        assert_eq!(invalid(laptop(&global, None).unwrap_err()).0, Exit::Usage);
    }

    #[test]
    fn a_device_is_no_configuration_file() {
        let global = GlobalOptions { config: Some("/dev/zero".into()), ..GlobalOptions::default() };
        let error = laptop(&global, None).unwrap_err();
        assert_eq!(crate::exit::of(&error), Exit::Usage);
        assert_eq!(error.to_string(), "configuration file `/dev/zero`: it is a device, not a regular file");
    }
}
