//! What was said when source files changed, as vectors: one for each of the messages that are kept of files, beside the files that
//! it is about. One archive, which is mapped and scanned where it lies.
//!
//! Commits that say the same are one message, of all files that any of them touched.
//!
//! They are of the table inside the program whatever model the rows have: there are thousands of messages, which are only
//! ever compared with each other, so that no service is worth asking for them.

use embed::{ModelId, StaticModel, Vector, WordCache, cosine, pack, packed_inverse_norm, packed_len, packed_products};
use model::{Filter, Message};
use ranking::query::words_of_meaning;
use rkyv::{Archive, Deserialize, Serialize};
use rustc_hash::FxHashMap;

use crate::{Snapshot, vectors::QueryVector};

/// Commits of more files than this say too little of each.
pub(crate) const MAX_FILES_OF_A_COMMIT: u32 = 12;

/// What the direction of a body counts beside that of its subject.
const BODY_WEIGHT: f32 = 0.5;

#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct MessageTables {
    /// The table that the vectors are of; empty where there are none.
    pub(crate) model: String,
    pub(crate) n_dims: u32,
    /// By message: the hash of what it says, by which the next generation finds its vector.
    pub(crate) keys: Vec<u64>,
    pub(crate) inverse_norms: Vec<f32>,
    /// The packed vectors, one after the other.
    pub(crate) vectors: Vec<u8>,
    /// By message: how many files it is about, those that are gone included.
    pub(crate) n_files: Vec<u32>,
    /// By message: its first file among `files`; and, last, how many there are.
    pub(crate) first_files: Vec<u32>,
    /// Indices of files, ascending within a message.
    pub(crate) files: Vec<u32>,
}

/// Puts the messages of source files together, file after file.
pub(crate) struct MessagesWriter<'p> {
    tables: MessageTables,
    previous: Option<&'p ArchivedMessageTables>,
    /// By key: the place of a message in the generation before.
    known: FxHashMap<u64, usize>,
    places: FxHashMap<u64, usize>,
    files: Vec<Vec<u32>>,
    cache: WordCache<'static>,
}

impl<'p> MessagesWriter<'p> {
    pub(crate) fn new(previous: Option<&'p Snapshot>) -> MessagesWriter<'p> {
        let model = StaticModel::built_in();
        let previous = previous.map(Snapshot::message_tables).filter(|tables| tables.model == *model.id().as_str());
        let keys = previous.iter().flat_map(|tables| tables.keys.iter().enumerate());
        MessagesWriter {
            known: keys.map(|(place, key)| (key.to_native(), place)).collect(),
            tables: MessageTables {
                model: model.id().as_str().to_owned(),
                n_dims: model.n_dims() as u32,
                ..MessageTables::default()
            },
            previous,
            places: FxHashMap::default(),
            files: Vec::new(),
            cache: WordCache::new(model),
        }
    }

    /// Adds the messages of a file that comes after those before.
    pub(crate) fn push(&mut self, file_idx: usize, messages: &[Message<'_>]) {
        for message in messages.iter().filter(|message| message.n_files <= MAX_FILES_OF_A_COMMIT) {
            let key = key(message);
            let place = match self.places.get(&key) {
                Some(place) => *place,
                None => self.begin(key, message),
            };
            if self.files[place].last() != Some(&(file_idx as u32)) {
                self.files[place].push(file_idx as u32);
            }
        }
    }

    fn begin(&mut self, key: u64, message: &Message<'_>) -> usize {
        let place = self.files.len();
        self.places.insert(key, place);
        self.files.push(Vec::new());
        self.tables.keys.push(key);
        self.tables.n_files.push(message.n_files);
        match self.known.get(&key).zip(self.previous) {
            Some((known, previous)) => {
                self.tables.inverse_norms.push(previous.inverse_norms[*known].to_native());
                self.tables.vectors.extend_from_slice(previous.vector(*known));
            }
            None => {
                let packed = pack(&vector(message, &mut self.cache));
                self.tables.inverse_norms.push(packed_inverse_norm(&packed));
                self.tables.vectors.extend(packed);
            }
        }
        place
    }

    /// Returns the messages, but for those that so many commits repeat that they say nothing of any file.
    pub(crate) fn finish(self) -> MessageTables {
        let all = self.tables;
        let n_bytes = packed_len(all.n_dims as usize);
        let mut kept = MessageTables { model: all.model, n_dims: all.n_dims, ..MessageTables::default() };
        let is_telling = |(_, files): &(usize, Vec<u32>)| files.len() <= MAX_FILES_OF_A_COMMIT as usize;
        for (place, files) in self.files.into_iter().enumerate().filter(is_telling) {
            kept.keys.push(all.keys[place]);
            kept.inverse_norms.push(all.inverse_norms[place]);
            kept.vectors.extend_from_slice(&all.vectors[place * n_bytes..(place + 1) * n_bytes]);
            kept.n_files.push(all.n_files[place].max(files.len() as u32));
            kept.first_files.push(kept.files.len() as u32);
            kept.files.extend(files);
        }
        kept.first_files.push(kept.files.len() as u32);
        kept
    }
}

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

/// Returns the vector of length 1 of what a text says; nothing if it says nothing.
fn direction(text: &str, cache: &mut WordCache<'_>) -> Vec<f32> {
    let mut sum = cache.start();
    for word in words_of_meaning(text).into_iter().flat_map(ranking::analyser::words) {
        sum.add(&word, 1.0);
    }
    let mut numbers = sum.into_numbers();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        numbers.iter_mut().for_each(|number| *number /= length);
    }
    numbers
}

impl ArchivedMessageTables {
    fn vector(&self, place: usize) -> &[u8] {
        let n_bytes = packed_len(self.n_dims.to_native() as usize);
        &self.vectors[place * n_bytes..(place + 1) * n_bytes]
    }

    fn is_of(&self, model: &ModelId, n_dims: usize) -> bool {
        self.model == *model.as_str() && self.n_dims.to_native() as usize == n_dims
    }
}

/// A message that is near to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageHit {
    pub cosine: f32,
    /// Files that it is about, those that are gone included.
    pub n_files: u32,
    /// Indices of those that are here.
    pub files: Vec<u32>,
}

impl Snapshot {
    /// Returns the messages nearest to a query of those about any file that passes the filter, nearest first; of those that
    /// tie, the first.
    pub fn rank_messages(&self, query: &QueryVector<'_>, filter: &Filter, limit: usize) -> Vec<MessageHit> {
        let tables = self.message_tables();
        if !tables.is_of(&query.model, query.codes.len()) {
            return Vec::new();
        }
        let at = |place: usize| tables.first_files[place].to_native() as usize;
        let files = |place: usize| tables.files[at(place)..at(place + 1)].iter().map(|file_idx| file_idx.to_native());
        let is_admitted = |file_idx: usize| {
            let file = &self.tables().files[file_idx];
            filter.admits_file(&file.path, file.class(), file.language())
        };
        // Without a filter there is nothing to look at.
        let admitted: Option<Vec<bool>> =
            (*filter != Filter::default()).then(|| (0..self.tables().files.len()).map(is_admitted).collect());
        let is_wanted = |place: usize| {
            let is_any = |admitted: &Vec<bool>| files(place).any(|file_idx| admitted[file_idx as usize]);
            admitted.as_ref().is_none_or(is_any)
        };
        let products = packed_products(&tables.vectors, query.codes).into_iter().enumerate();
        let near = |(place, product): (usize, i32)| {
            (cosine(product, tables.inverse_norms[place].to_native(), query.inverse_norm), place)
        };
        let mut nearest: Vec<(f32, usize)> =
            products.map(near).filter(|(cosine, place)| *cosine > 0.0 && is_wanted(*place)).collect();
        let order = |a: &(f32, usize), b: &(f32, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if nearest.len() > limit {
            nearest.select_nth_unstable_by(limit, order);
            nearest.truncate(limit);
        }
        nearest.sort_unstable_by(order);
        let hit = |(cosine, place): (f32, usize)| {
            let n_files = tables.n_files[place].to_native();
            MessageHit { cosine, n_files, files: files(place).collect() }
        };
        nearest.into_iter().map(hit).collect()
    }
}
