//! A document while it is read: a tree with all values, from which those that may be secrets are then removed.

use model::{DocumentEntry, DocumentFormat, SettingsDocument};

use super::{
    disclosure::{self, ValueContext},
    key_names,
};

/// Maximum number of entries of one document before removal, which bounds the expansion of aliases.
const MAX_DRAFT_ENTRIES: usize = 60_000;

/// Maximum length of a key.
const MAX_KEY_BYTES: usize = 200;

/// A document with all its values. It never leaves this module.
pub(super) struct DraftDocument {
    format: DocumentFormat,
    entries: Vec<DocumentEntry>,
}

impl DraftDocument {
    pub(super) fn new(format: DocumentFormat) -> DraftDocument {
        DraftDocument { format, entries: Vec::new() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= MAX_DRAFT_ENTRIES
    }

    /// Adds an entry, and returns its index.
    pub(super) fn add(&mut self, parent: Option<u32>, key: &str, value: &str, line: u32) -> u32 {
        let key = if key.len() > MAX_KEY_BYTES { "" } else { key };
        self.entries.push(DocumentEntry { parent, key: key.to_owned(), value: value.to_owned(), line });
        self.entries.len() as u32 - 1
    }

    pub(super) fn set_value(&mut self, entry: u32, value: &str) {
        value.clone_into(&mut self.entries[entry as usize].value);
    }

    pub(super) fn value(&self, entry: u32) -> &str {
        &self.entries[entry as usize].value
    }

    pub(super) fn key(&self, entry: u32) -> &str {
        &self.entries[entry as usize].key
    }

    pub(super) fn children(&self, parent: u32) -> Vec<u32> {
        let after = (parent + 1)..self.entries.len() as u32;
        after.filter(|child| self.entries[*child as usize].parent == Some(parent)).collect()
    }

    /// Copies the entries below `from` to below `to`, without those whose key `to` already has.
    pub(super) fn copy_children(&mut self, from: u32, to: u32) {
        let present: Vec<String> = self.children(to).into_iter().map(|child| self.key(child).to_owned()).collect();
        // By original, from `from` on: its copy; `None` for one that is left out with all below it.
        let mut copies: Vec<Option<u32>> = vec![Some(to)];
        for original in (from + 1)..self.entries.len() as u32 {
            let entry = &self.entries[original as usize];
            // The entries below another one follow it, since a document is read depth first.
            let Some(parent) = entry.parent.filter(|parent| *parent >= from).filter(|_| !self.is_full()) else { break };
            let Some(parent_copy) = copies.get((parent - from) as usize).copied() else { break };
            let is_present = parent == from && !entry.key.is_empty() && present.contains(&entry.key);
            let (key, value, line) = (entry.key.clone(), entry.value.clone(), entry.line);
            let copy = parent_copy.filter(|_| !is_present).map(|parent| self.add(Some(parent), &key, &value, line));
            copies.push(copy);
        }
    }

    /// Adds the entries of another document below an entry. Its lines begin after `line`.
    pub(super) fn embed(&mut self, other: &DraftDocument, below: u32, line: u32) {
        let offset = self.entries.len() as u32;
        self.entries.extend(other.entries.iter().map(|entry| DocumentEntry {
            parent: Some(entry.parent.map_or(below, |parent| parent + offset)),
            line: entry.line + line,
            ..entry.clone()
        }));
    }

    /// Returns the document with the values that are known to be no secrets, and the entries that lead to them; `None` if there
    /// are none.
    pub(super) fn disclosed(self) -> Option<SettingsDocument> {
        let is_kept = self.kept_entries();
        let mut numbers = vec![0; self.entries.len()];
        let mut entries: Vec<DocumentEntry> = Vec::new();
        for ((index, entry), value) in self.entries.into_iter().enumerate().zip(is_kept) {
            let Some(value) = value else { continue };
            numbers[index] = entries.len() as u32;
            let parent = entry.parent.map(|parent| numbers[parent as usize]);
            entries.push(DocumentEntry { parent, value, ..entry });
        }
        (!entries.is_empty()).then_some(SettingsDocument { format: self.format, entries })
    }

    /// Returns by entry the value to keep; `None` for an entry that is dropped.
    fn kept_entries(&self) -> Vec<Option<String>> {
        let is_secret = self.is_below_secrets();
        let names = self.sibling_names();
        let mut kept: Vec<Option<String>> = Vec::with_capacity(self.entries.len());
        for (index, entry) in self.entries.iter().enumerate() {
            let parent = entry.parent.map(|parent| &self.entries[parent as usize]);
            let grandparent = parent.and_then(|parent| parent.parent).map(|idx| &self.entries[idx as usize]);
            let context = ValueContext {
                format: self.format,
                key: &entry.key,
                name: entry.parent.and_then(|parent| names[parent as usize].as_deref()),
                parent: parent.map_or("", |parent| &parent.key),
                grandparent: grandparent.map_or("", |parent| &parent.key),
            };
            let value = if is_secret[index] { None } else { disclosure::disclosed_value(&context, &entry.value) };
            let is_empty_name =
                entry.value.is_empty() && !is_secret[index] && key_names::is_list_of_names(context.parent);
            let is_named = is_empty_name || self.format == DocumentFormat::Variables;
            kept.push(value.or(is_named.then(String::new)));
        }
        // Children follow their parents.
        for index in (0..self.entries.len()).rev() {
            if kept[index].is_some()
                && let Some(parent) = self.entries[index].parent
                && kept[parent as usize].is_none()
            {
                kept[parent as usize] = Some(String::new());
            }
        }
        kept
    }

    /// Returns by entry the `name` among its children: the name of a variable stands beside its value.
    fn sibling_names(&self) -> Vec<Option<String>> {
        let mut names = vec![None; self.entries.len()];
        for entry in &self.entries {
            if let (Some(parent), "name" | "Name") = (entry.parent, entry.key.as_str()) {
                names[parent as usize] = Some(entry.value.clone());
            }
        }
        names
    }

    /// Returns by entry true below the data of a Kubernetes secret.
    fn is_below_secrets(&self) -> Vec<bool> {
        let kind_is_secret =
            |entry: &DocumentEntry| entry.key == "kind" && matches!(entry.value.as_str(), "Secret" | "SealedSecret");
        let secrets: Vec<Option<u32>> =
            self.entries.iter().filter(|entry| kind_is_secret(entry)).map(|entry| entry.parent).collect();
        let mut below = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let is_data =
                matches!(entry.key.as_str(), "data" | "stringData" | "spec") && secrets.contains(&entry.parent);
            below.push(is_data || entry.parent.is_some_and(|parent| below[parent as usize]));
        }
        below
    }
}
