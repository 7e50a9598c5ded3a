//! The files and folders of a folder, as its worker lists them.

use ::web::folder_page::FolderListing;
use federation::call::CallContext;
use proto::v1;
use tokio::time::Instant;

use super::viewer::Viewer;

/// Lists a folder; an empty path is the root of the repository. `None` if the viewer may read no such repository. An error says why the
/// content is unknown.
pub(super) async fn list(viewer: &Viewer, repo: &str, folder: &str) -> Option<Result<FolderListing, String>> {
    let call = CallContext::new(&viewer.core.toolbox.federation, &viewer.principal, Instant::now());
    let repo_idx = call.visible.known_repo_idx(repo)?;
    let plan = call.visible.plan_for(vec![repo_idx], false);
    let mut listed = call.folders(&plan, folder).await;
    if let Some(listing) = listed.value.remove(&repo_idx) {
        return Some(Ok(of_wire(listing)));
    }
    let shortfalls = plan.shortfalls.clone().and(&listed.shortfalls);
    let reason =
        shortfalls.iter().next().map(|(_, state, reason)| format!("{}: {reason}", state.name().replace('_', " ")));
    Some(Err(reason.unwrap_or_else(|| "its worker is of a version that lists no folders".to_owned())))
}

fn of_wire(listing: v1::FolderListing) -> FolderListing {
    let (folders, files): (Vec<_>, Vec<_>) = listing.entries.into_iter().partition(|entry| entry.files > 0);
    let name = |written: &str| text::sanitise_name(written).into_owned();
    FolderListing {
        folders: folders.into_iter().map(|entry| (name(&entry.name), entry.files)).collect(),
        files: files.into_iter().map(|entry| name(&entry.name)).collect(),
        n_more: listing.more,
    }
}
