//! The user's folders for configuration, per operating system.

use std::path::{Path, PathBuf};

use crate::exit::{CommandError, Exit};

/// Operating system whose conventions apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Platform {
    Linux,
    MacOs,
    Windows,
}

/// Folders of one user.
#[derive(Debug, Clone)]
pub(crate) struct UserFolders {
    pub(crate) platform: Platform,
    pub(crate) home: PathBuf,
    /// `$XDG_CONFIG_HOME`, or `~/.config`.
    config: PathBuf,
    /// The folder in which graphical programs have their data.
    application_data: PathBuf,
}

impl UserFolders {
    /// Returns the folders of the user of this process.
    pub(crate) fn of_this_user() -> Result<UserFolders, CommandError> {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let platform = match std::env::consts::OS {
            "macos" => Platform::MacOs,
            "windows" => Platform::Windows,
            _ => Platform::Linux,
        };
        let home = variable("HOME").or_else(|| variable("USERPROFILE")).ok_or_else(|| {
            CommandError::new(Exit::Usage, "there is no home folder: set HOME to the folder with your configuration")
        })?;
        let defaults = UserFolders::below(platform, &home);
        let config = variable("XDG_CONFIG_HOME").unwrap_or_else(|| defaults.config.clone());
        let application_data = match platform {
            Platform::Linux => config.clone(),
            Platform::MacOs => defaults.application_data,
            Platform::Windows => variable("APPDATA").unwrap_or(defaults.application_data),
        };
        Ok(UserFolders { platform, home, config, application_data })
    }

    /// Returns the default folders below a home folder.
    pub(crate) fn below(platform: Platform, home: &Path) -> UserFolders {
        let config = home.join(".config");
        let application_data = match platform {
            Platform::Linux => config.clone(),
            Platform::MacOs => home.join("Library/Application Support"),
            Platform::Windows => home.join("AppData/Roaming"),
        };
        UserFolders { platform, home: home.to_owned(), config, application_data }
    }

    /// Returns the path of a template, which begins with `~/`, `$CONFIG/` or `$APPLICATION_DATA/`.
    pub(crate) fn expand(&self, template: &str) -> PathBuf {
        let (base, rest) = template.split_once('/').expect("a template has a base and a path");
        match base {
            "~" => self.home.join(rest),
            "$CONFIG" => self.config.join(rest),
            "$APPLICATION_DATA" => self.application_data.join(rest),
            base => unreachable!("templates have no base `{base}`"),
        }
    }

    /// Returns a path as users write it, with `~` for the home folder.
    pub(crate) fn display(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}
