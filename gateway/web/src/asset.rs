//! Static files: one stylesheet and one script, named by their content, so that browsers may keep them forever.

use std::sync::LazyLock;

/// A static file.
pub struct Asset {
    /// The path, with a hash of the content.
    pub path: String,
    /// The media type.
    pub content_type: &'static str,
    /// The content.
    pub content: &'static str,
}

impl Asset {
    fn new(stem: &str, extension: &str, content_type: &'static str, content: &'static str) -> Asset {
        let hash = blake3::hash(content.as_bytes()).to_hex();
        Asset { path: format!("/static/{stem}-{}.{extension}", &hash[..12]), content_type, content }
    }
}

/// The stylesheet.
pub static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("causeway", "css", "text/css; charset=utf-8", include_str!("../assets/causeway.css")));

/// The script: search while typing, live parts and keys. Every page works without it.
pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("causeway", "js", "text/javascript; charset=utf-8", include_str!("../assets/causeway.js"))
});

/// The icon of browser tabs.
pub static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", include_str!("../assets/icon.svg")));

/// Returns the asset at a path.
pub fn find(path: &str) -> Option<&'static Asset> {
    [&*STYLE, &*SCRIPT, &*ICON].into_iter().find(|asset| asset.path == path)
}
