//! Edits of a text file of the user that keep everything else in it.

use serde_json::Value;

use super::{
    SERVER_NAME,
    client::ConfigFormat,
    entry,
    hooks::{self, HookCommand},
    json_file, managed_block, toml_file, yaml_file,
};

/// Reason why a file is not edited.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct EditError(pub(super) String);

/// Content of Causeway in a file.
#[derive(Debug, Clone)]
pub(crate) enum FileEdit {
    /// The entry of the server below the key of all servers.
    ServerEntry { format: ConfigFormat, servers_key: &'static str, entry: Value },
    /// A marked block in a text.
    ManagedBlock(String),
    /// Hooks of Claude Code that run this program.
    Hooks(HookCommand),
    /// The whole file. Another file with this name is not replaced.
    WholeFile(String),
}

impl FileEdit {
    /// Returns the text with this content.
    pub(super) fn apply(&self, text: &str) -> Result<String, EditError> {
        let (bom, text) = split_bom(text);
        let edited = match self {
            FileEdit::ServerEntry { format, servers_key, entry } => {
                let present = self.entry(text)?;
                let written = present.as_ref().map_or_else(|| entry.clone(), |present| entry::merged(present, entry));
                match present {
                    Some(present) if present == written => text.to_owned(),
                    _ => set_entry(*format, text, servers_key, &written, text)?,
                }
            }
            FileEdit::ManagedBlock(block) => managed_block::set(text, block),
            FileEdit::Hooks(command) => hooks::add(text, command)?,
            FileEdit::WholeFile(content) if text.is_empty() || self.is_present(text)? => content.clone(),
            FileEdit::WholeFile(_) => return Err(EditError("it exists, and is not from causeway".to_owned())),
        };
        Ok(format!("{bom}{edited}"))
    }

    /// Returns true if the original bytes are stored. Blocks and whole files are removed exactly without them.
    pub(super) fn needs_backup(&self) -> bool {
        matches!(self, FileEdit::ServerEntry { .. } | FileEdit::Hooks(_))
    }

    /// Returns true if the text has content of Causeway, also a different one.
    pub(crate) fn is_present(&self, text: &str) -> Result<bool, EditError> {
        let (_, text) = split_bom(text);
        match self {
            FileEdit::ServerEntry { .. } => Ok(self.entry(text)?.is_some()),
            FileEdit::ManagedBlock(_) => Ok(managed_block::is_present(text)),
            FileEdit::Hooks(_) => hooks::are_present(text),
            FileEdit::WholeFile(_) => Ok(text.contains(WHOLE_FILE_MARK)),
        }
    }

    /// Returns the text without the content, or `None` if nothing else is in it.
    pub(super) fn revert(&self, text: &str) -> Result<Option<String>, EditError> {
        let (bom, text) = split_bom(text);
        let (reverted, is_empty) = match self {
            FileEdit::ServerEntry { format, servers_key, .. } => match format {
                ConfigFormat::Json => {
                    let reverted = json_file::remove(text, &[servers_key, SERVER_NAME])?;
                    let is_empty = json_file::is_skeleton(&reverted);
                    (reverted, is_empty)
                }
                ConfigFormat::Toml => {
                    let reverted = toml_file::remove(text, servers_key, SERVER_NAME)?;
                    let is_empty = reverted.trim().is_empty();
                    (reverted, is_empty)
                }
                ConfigFormat::Yaml => {
                    let reverted = yaml_file::remove(text, servers_key, SERVER_NAME)?;
                    let is_empty = reverted.trim() == format!("{servers_key}: {{}}");
                    (reverted, is_empty)
                }
            },
            FileEdit::ManagedBlock(_) => {
                let reverted = managed_block::remove(text);
                let is_empty = reverted.trim().is_empty();
                (reverted, is_empty)
            }
            FileEdit::Hooks(_) => {
                let reverted = hooks::remove(text)?;
                let is_empty = json_file::is_skeleton(&reverted);
                (reverted, is_empty)
            }
            FileEdit::WholeFile(_) => (String::new(), true),
        };
        Ok((!is_empty).then(|| format!("{bom}{reverted}")))
    }

    /// Returns the text with the content that `original` has in place of that of Causeway; `None` if nothing is in it then.
    pub(super) fn restore(&self, text: &str, original: &str) -> Result<Option<String>, EditError> {
        let ((bom, rest), (_, original)) = (split_bom(text), split_bom(original));
        let restored = match self {
            FileEdit::ServerEntry { format, servers_key, .. } => match self.entry(original)? {
                Some(entry) => set_entry(*format, rest, servers_key, &entry, original)?,
                None => return self.revert(text),
            },
            FileEdit::Hooks(_) if hooks::are_present(original)? => hooks::restore(rest, original)?,
            _ => return self.revert(text),
        };
        Ok(Some(format!("{bom}{restored}")))
    }

    /// Returns the content that undo has to restore from a text; null if it has none.
    pub(super) fn content(&self, text: &str) -> Result<Value, EditError> {
        match self {
            FileEdit::ServerEntry { .. } => Ok(self.entry(text)?.unwrap_or_default()),
            FileEdit::Hooks(_) => hooks::own_hooks(split_bom(text).1),
            FileEdit::ManagedBlock(_) | FileEdit::WholeFile(_) => Ok(Value::Null),
        }
    }

    /// Returns the entry of the server in a configuration file.
    pub(crate) fn entry(&self, text: &str) -> Result<Option<Value>, EditError> {
        let FileEdit::ServerEntry { format, servers_key, .. } = self else { return Ok(None) };
        let (_, text) = split_bom(text);
        match format {
            ConfigFormat::Json => json_file::get(text, &[servers_key, SERVER_NAME]),
            ConfigFormat::Toml => toml_file::get(text, servers_key, SERVER_NAME),
            ConfigFormat::Yaml => yaml_file::get(text, servers_key, SERVER_NAME),
        }
    }
}

/// Returns a text with an entry. Values that are equal in `source` keep their notation there.
fn set_entry(
    format: ConfigFormat,
    text: &str,
    servers_key: &str,
    entry: &Value,
    source: &str,
) -> Result<String, EditError> {
    match format {
        ConfigFormat::Json => json_file::set(text, &[servers_key, SERVER_NAME], entry),
        ConfigFormat::Toml => toml_file::set_from(text, servers_key, SERVER_NAME, entry, source),
        ConfigFormat::Yaml => yaml_file::set(text, servers_key, SERVER_NAME, entry),
    }
}

/// Text that marks a file as made by `causeway setup`.
pub(super) const WHOLE_FILE_MARK: &str = "Written by `causeway setup`";

fn split_bom(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => (&text[..text.len() - rest.len()], rest),
        None => ("", text),
    }
}
