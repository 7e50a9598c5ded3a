//! Writing commit messages, as bags of terms and as vectors. Vectors of the previous generation are reused.

use embed::{StaticModel, Vector, WordCache, pack, packed_inverse_norm, packed_len};
use model::{FileClass, Message};
use ranking::{analyser::Analyser, query::vector_words};
use rustc_hash::FxHashMap;

use super::history::NewHistory;
use crate::{
    records::{
        messages::{ArchivedMessageTables, MAX_FILES_OF_A_COMMIT, MessageTables},
        tables::FileRecord,
        term_bags::TermBags,
    },
    snapshot::Snapshot,
};

/// Weight of the direction of a message body, relative to that of the subject.
const BODY_WEIGHT: f32 = 0.5;

/// Returns the commit messages of the files, as bags of terms and as vectors.
pub(super) fn commit_messages(
    history: &NewHistory<'_>,
    files: &[FileRecord],
    previous: Option<&Snapshot>,
) -> (TermBags, MessageTables) {
    let mut analyser = Analyser::default();
    let mut bags = TermBags::default();
    let mut vectors = MessagesWriter::new(previous);
    for (file_idx, file) in files.iter().enumerate() {
        let messages = (history.messages_of_file)(&file.path);
        bags.push_messages(&messages, &mut analyser);
        // Half of all messages concern other files only. Those are found by their terms, so they need no vectors.
        if file.class == FileClass::Source as u8 {
            vectors.add_file(file_idx, &messages);
        }
    }
    bags.finish();
    (bags, vectors.finish())
}

/// Collects the messages of source files, file after file.
struct MessagesWriter<'p> {
    tables: MessageTables,
    previous: Option<&'p ArchivedMessageTables>,
    /// By key: index of a message in the previous generation.
    previous_by_key: FxHashMap<u64, usize>,
    /// By key: index of a message in `tables`.
    by_key: FxHashMap<u64, usize>,
    /// By message: the files that it touched.
    files: Vec<Vec<u32>>,
    cache: WordCache<'static>,
}

impl<'p> MessagesWriter<'p> {
    fn new(previous: Option<&'p Snapshot>) -> MessagesWriter<'p> {
        let model = StaticModel::built_in();
        let previous = previous.map(Snapshot::message_tables).filter(|tables| tables.model == *model.id().as_str());
        let keys = previous.iter().flat_map(|tables| tables.keys.iter().enumerate());
        MessagesWriter {
            previous_by_key: keys.map(|(message_idx, key)| (key.to_native(), message_idx)).collect(),
            tables: MessageTables {
                model: model.id().as_str().to_owned(),
                n_dims: model.n_dims() as u32,
                ..MessageTables::default()
            },
            previous,
            by_key: FxHashMap::default(),
            files: Vec::new(),
            cache: WordCache::new(model),
        }
    }

    /// Adds the messages of a file. Files must be added by ascending index.
    fn add_file(&mut self, file_idx: usize, messages: &[Message<'_>]) {
        for message in messages.iter().filter(|message| message.n_files <= MAX_FILES_OF_A_COMMIT) {
            let key = key(message);
            let message_idx = match self.by_key.get(&key) {
                Some(message_idx) => *message_idx,
                None => self.add_message(key, message),
            };
            if self.files[message_idx].last() != Some(&(file_idx as u32)) {
                self.files[message_idx].push(file_idx as u32);
            }
        }
    }

    fn add_message(&mut self, key: u64, message: &Message<'_>) -> usize {
        let message_idx = self.files.len();
        self.by_key.insert(key, message_idx);
        self.files.push(Vec::new());
        self.tables.keys.push(key);
        self.tables.n_files.push(message.n_files);
        match self.previous_by_key.get(&key).zip(self.previous) {
            Some((previous_idx, previous)) => {
                self.tables.inverse_norms.push(previous.inverse_norms[*previous_idx].to_native());
                self.tables.vectors.extend_from_slice(previous.vector(*previous_idx));
            }
            None => {
                let packed = pack(&vector(message, &mut self.cache));
                self.tables.inverse_norms.push(packed_inverse_norm(&packed));
                self.tables.vectors.extend(packed);
            }
        }
        message_idx
    }

    /// Returns the messages. A message that many commits repeat describes no file, and is omitted.
    fn finish(self) -> MessageTables {
        let all = self.tables;
        let n_bytes = packed_len(all.n_dims as usize);
        let mut tables = MessageTables { model: all.model, n_dims: all.n_dims, ..MessageTables::default() };
        let is_specific = |(_, files): &(usize, Vec<u32>)| files.len() <= MAX_FILES_OF_A_COMMIT as usize;
        for (message_idx, files) in self.files.into_iter().enumerate().filter(is_specific) {
            tables.keys.push(all.keys[message_idx]);
            tables.inverse_norms.push(all.inverse_norms[message_idx]);
            tables.vectors.extend_from_slice(&all.vectors[message_idx * n_bytes..(message_idx + 1) * n_bytes]);
            tables.n_files.push(all.n_files[message_idx].max(files.len() as u32));
            tables.first_files.push(tables.files.len() as u32);
            tables.files.extend(files);
        }
        tables.first_files.push(tables.files.len() as u32);
        tables
    }
}

/// Returns a hash of the message and its number of files.
fn key(message: &Message<'_>) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&message.n_files.to_le_bytes());
    hasher.update(&(message.subject.len() as u64).to_le_bytes());
    hasher.update(message.subject.as_bytes()).update(message.body.as_bytes());
    let mut key = [0; 8];
    key.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(key)
}

fn vector(message: &Message<'_>, cache: &mut WordCache<'_>) -> Vector {
    let mut sum = direction(message.subject, cache);
    let of_body = direction(message.body, cache);
    sum.iter_mut().zip(of_body).for_each(|(sum, part)| *sum += BODY_WEIGHT * part);
    Vector::quantise(&sum)
}

/// Returns the unit vector of the sum of the words of a text; the zero vector if there is no known word.
fn direction(text: &str, cache: &mut WordCache<'_>) -> Vec<f32> {
    let mut sum = cache.start();
    for word in vector_words(text).into_iter().flat_map(ranking::analyser::words) {
        sum.add(&word, 1.0);
    }
    let mut numbers = sum.into_numbers();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        numbers.iter_mut().for_each(|number| *number /= length);
    }
    numbers
}
