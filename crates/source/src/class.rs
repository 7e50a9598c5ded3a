//! What a file is for, by its path first and by its content when that is at hand.
pub use model::FileClass;
/// x
pub fn classify_path(_path: &str) -> FileClass {
    FileClass::Source
}
/// x
pub fn refine(class: FileClass, _path: &str, _content: &[u8]) -> FileClass {
    class
}
/// x
pub fn classify(path: &str, content: &[u8]) -> FileClass {
    refine(classify_path(path), path, content)
}
/// x
pub fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0)
}
