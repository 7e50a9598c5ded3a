//! The fields of a row, and what a term in each of them is worth.

/// How many fields a row has.
pub const N_FIELDS: usize = 6;

/// A field of a text row. The number of a field is its place in `Field::ALL`, on disk and on the wire too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The name of the definition; of the rest of a file, its file name.
    Name,
    /// The path of the file.
    Path,
    /// The names of the definitions around it.
    Parent,
    Signature,
    Doc,
    /// The text of the definition without the definitions inside it.
    Body,
}

impl Field {
    /// Every field, in the order of its number.
    pub const ALL: [Field; N_FIELDS] =
        [Field::Name, Field::Path, Field::Parent, Field::Signature, Field::Doc, Field::Body];

    /// Returns the name that the field has in the index.
    pub fn name(self) -> &'static str {
        match self {
            Field::Name => "name",
            Field::Path => "path",
            Field::Parent => "parent",
            Field::Signature => "signature",
            Field::Doc => "doc",
            Field::Body => "body",
        }
    }

    /// Returns how much one occurrence counts. Tuned on known-item queries over twelve public repositories.
    pub fn weight(self) -> f32 {
        match self {
            Field::Name => 5.0,
            Field::Path => 4.0,
            Field::Parent => 1.5,
            Field::Signature => 0.3,
            Field::Doc => 0.5,
            Field::Body => 1.0,
        }
    }

    /// Returns how many tokens the field has on average, over the rows of twelve public repositories.
    ///
    /// A constant, not a statistic: measured, the ranking is the same, and so a row has one weighted frequency for each of
    /// its terms in every search, which is what bounds need.
    pub fn average_length(self) -> f32 {
        match self {
            Field::Name => 2.8,
            Field::Path => 6.4,
            Field::Parent => 1.6,
            Field::Signature => 10.3,
            Field::Doc => 5.7,
            Field::Body => 84.5,
        }
    }

    /// Returns how far the length of the field is held against it: 0 not at all, 1 in full (the `b` of BM25).
    pub fn length_penalty(self) -> f32 {
        match self {
            Field::Path | Field::Body => 0.2,
            Field::Name | Field::Parent | Field::Signature | Field::Doc => 0.5,
        }
    }
}
