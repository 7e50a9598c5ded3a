//! `causeway doctor`: diagnoses problems and suggests fixes.

use std::{fs, path::Path};

use serde::Serialize;
use serde_json::Value;
use worker::{DATA_VERSION, DataDirState};

use super::status;
use crate::{
    backend,
    client::ServerClient,
    data,
    exit::{self, Exit},
    options::{GlobalOptions, ServerOptions},
    output::{grouped, print, print_json},
    setup::user_folders::UserFolders,
};

mod clients;

const EXAMPLE: &str = "\
Example:
  causeway doctor
  causeway doctor --json | jq '.[] | select(.fix)'

The exit code is 1 if there is a problem.";

/// Memory-mapped or open files per repository, with room for merging segments.
const FILES_PER_REPOSITORY: u64 = 32;

/// Files of the process itself.
const FILES_BESIDES: u64 = 256;

/// File that is created and removed to check the data folder.
const PROBE_FILE: &str = "doctor.tmp";

/// Free space below which indexing of a repository may fail.
const MIN_FREE_BYTES: u64 = 500_000_000;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    server: ServerOptions,
}

/// Result of one check.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Finding {
    what: String,
    is: String,
    /// Suggested fix; `None` without a problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

pub(crate) async fn run(args: DoctorArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let folder = data::folder(global)?;
    let mut findings = vec![ok_finding("version", env!("CARGO_PKG_VERSION"))];
    findings.extend(data_folder(&folder));
    let repositories = match backend::running_server(&args.server, global)? {
        Some(server) => check_server(&server, &mut findings).await,
        None => {
            findings.push(ok_finding("server", "no server runs on this data folder (`causeway up PATH` starts one)"));
            Vec::new()
        }
    };
    findings.extend(repository_findings(&repositories));
    findings.extend(limits(repositories.len() as u64));
    if let Ok(folders) = UserFolders::of_this_user() {
        let url = backend::running_server(&args.server, global)?.map(|server| server.url().to_owned());
        findings.extend(clients::findings(&folders, url.as_deref()));
    }

    let is_healthy = findings.iter().all(|finding| finding.fix.is_none());
    if global.json {
        print_json(&findings)?;
    } else {
        findings.iter().try_for_each(|finding| print(&finding.lines()))?;
        print(if is_healthy { "no problems found" } else { "problems found: see `fix` above" })?;
    }
    Ok(if is_healthy { Exit::Done } else { Exit::Failed })
}

impl Finding {
    fn lines(&self) -> String {
        let mark = if self.fix.is_some() { "!!" } else { "ok" };
        let fix = self.fix.as_ref().map(|fix| format!("\n   fix: {fix}")).unwrap_or_default();
        format!("{mark} {}: {}{fix}", self.what, self.is)
    }
}

fn ok_finding(what: impl Into<String>, is: impl Into<String>) -> Finding {
    Finding { what: what.into(), is: is.into(), fix: None }
}

fn problem_finding(what: impl Into<String>, is: impl Into<String>, fix: impl Into<String>) -> Finding {
    Finding { fix: Some(fix.into()), ..ok_finding(what, is) }
}

fn data_folder(folder: &Path) -> Vec<Finding> {
    let shown = folder.display();
    if !folder.exists() {
        return vec![ok_finding("data folder", format!("{shown}, not created yet"))];
    }
    let state = DataDirState::read(folder);
    let size = format!("{shown}, {:.1} MB", size_of(folder) as f64 / 1e6);
    let version = match state.version {
        Some(version) if version == DATA_VERSION.to_string() => ok_finding("data version", version),
        Some(version) => problem_finding(
            "data version",
            format!("{version}, but this causeway needs {DATA_VERSION}"),
            format!("remove `{shown}` (it is rebuilt from the repositories), or name another folder with --data"),
        ),
        None => problem_finding(
            "data version",
            "none: no causeway has used this folder",
            "name an empty or missing folder with --data, unless this one is empty",
        ),
    };
    let owner = state.owner.map_or("no process".to_owned(), |owner| format!("process {owner}"));
    vec![ok_finding("data folder", size), version, ok_finding("data folder in use by", owner), disk(folder)]
}

/// Checks that the data folder can be written and has free space. Without either, the last index is served.
fn disk(folder: &Path) -> Finding {
    let what = "disk of the data folder";
    let probe = folder.join(PROBE_FILE);
    let written = files::create(&probe).and_then(|_| fs::remove_file(&probe));
    if let Err(error) = written {
        return problem_finding(
            what,
            format!("it cannot be written: {error}"),
            "make the folder writable for this user",
        );
    }
    match rustix::fs::statvfs(folder) {
        Ok(disk) if disk.f_bavail.saturating_mul(disk.f_frsize) < MIN_FREE_BYTES => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize) as f64 / 1e6;
            problem_finding(
                what,
                format!("{free:.0} MB are free"),
                "free some space, or name another folder with --data",
            )
        }
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize) as f64 / 1e9;
            ok_finding(what, format!("writable, {free:.1} GB are free"))
        }
        Err(error) => ok_finding(what, format!("writable; free space is unknown: {error}")),
    }
}

/// Returns the total size in bytes of the files below a folder.
fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.filter_map(Result::ok).map(size).sum()
}

/// Checks the server, and returns its repositories.
async fn check_server(server: &ServerClient, findings: &mut Vec<Finding>) -> Vec<Value> {
    let url = server.url();
    let readiness = match server.get("/readyz").await {
        Ok(readiness) => readiness,
        Err(error) => {
            let fix = "start it with `causeway up PATH`; if it runs, check its address and any proxy";
            findings.push(problem_finding("server", exit::message(&error), fix));
            return Vec::new();
        }
    };
    findings.push(match readiness {
        (status, _) if status.is_success() => ok_finding("server", format!("{url} is ready")),
        (_, body) => {
            problem_finding("server", format!("{url} is not ready: {}", body.trim()), "read the log of the server")
        }
    });
    match status::repositories(server).await {
        Ok(answer) => answer["repositories"].as_array().cloned().unwrap_or_default(),
        Err(error) => {
            let fix =
                "pass a token with --token or CAUSEWAY_TOKEN if the server needs one; else read the log of the server";
            findings.push(problem_finding("tools", exit::message(&error), fix));
            Vec::new()
        }
    }
}

/// Returns one finding for each repository with a problem, and one for all others.
fn repository_findings(repositories: &[Value]) -> Vec<Finding> {
    let (healthy, mut findings): (Vec<Finding>, Vec<Finding>) =
        repositories.iter().map(repository).partition(|finding| finding.fix.is_none());
    match &healthy[..] {
        [] => {}
        [only] => findings.push(ok_finding(&only.what, &only.is)),
        several => {
            let number = several.len() as u64;
            findings.push(ok_finding("repositories", format!("{} indexed at HEAD", grouped(number))));
        }
    }
    findings
}

fn repository(repository: &Value) -> Finding {
    let text = |field: &str| repository[field].as_str().unwrap_or_default();
    let what = format!("repository {}", text("repo"));
    let commit: String = text("indexed_commit").chars().take(12).collect();
    if text("state") != "serving" {
        let fix = "add a commit if it has none, repair it with `git fsck`, or remove it from the folders";
        return problem_finding(what, format!("{}: {}", text("state"), text("reason")), fix);
    }
    match text("stale_warning") {
        // The commit of a repository without commits.
        _ if commit == "0".repeat(12) => ok_finding(what, "it has no commits yet; nothing is indexed"),
        _ if !text("reason").is_empty() => {
            let is = format!("index at {commit}; the last update failed: {}", text("reason"));
            problem_finding(
                what,
                is,
                "remove the cause; `git fsck` finds damage of a repository. Indexing is retried automatically",
            )
        }
        "" => ok_finding(what, format!("index at {commit}, the same as HEAD")),
        warning => problem_finding(
            what,
            warning,
            "wait some seconds; if it stays stale, `causeway index --force` prints the error",
        ),
    }
}

/// Checks the system's limits, where they can be read.
fn limits(n_repositories: u64) -> Vec<Finding> {
    let needed = FILES_BESIDES + n_repositories * FILES_PER_REPOSITORY;
    let maps = fs::read_to_string("/proc/sys/vm/max_map_count").ok().and_then(|text| text.trim().parse().ok());
    let files = fs::read_to_string("/proc/self/limits").ok().and_then(|text| open_files(&text));
    let finding = |what: &str, limit: Option<u64>, fix: String| match limit {
        None => ok_finding(what, "unknown on this system"),
        Some(limit) if limit >= needed => ok_finding(what, grouped(limit)),
        Some(limit) => problem_finding(what, format!("{}, but {} may be needed", grouped(limit), grouped(needed)), fix),
    };
    vec![
        finding("memory maps (vm.max_map_count)", maps, format!("sysctl -w vm.max_map_count={}", needed.max(262_144))),
        finding("open files (ulimit -n)", files, format!("ulimit -n {needed}, before starting causeway")),
    ]
}

/// Returns the soft limit of open files from `/proc/self/limits`.
fn open_files(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(u64::MAX),
        limit => limit.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_are_parsed() {
        let limits =
            "Limit   Soft Limit  Hard Limit  Units\nMax open files            1024                 4096   files\n";
        assert_eq!(open_files(limits), Some(1_024));
        assert_eq!(open_files("Max open files   unlimited  unlimited files"), Some(u64::MAX));
        assert_eq!(open_files(""), None);
    }

    #[test]
    fn stale_and_failed_repositories_are_problems() {
        let commit = "0123456789abcdef";
        let healthy = repository(&json!({"repo": "api", "state": "serving", "indexed_commit": commit}));
        assert_eq!(healthy, ok_finding("repository api", "index at 0123456789ab, the same as HEAD"));
        let stale = json!({"repo": "api", "state": "serving", "indexed_commit": commit, "stale_warning": "read at 0"});
        assert!(repository(&stale).fix.is_some());
        let empty = json!({"repo": "new", "state": "serving", "indexed_commit": "0".repeat(40), "reason": "it has no commits yet"});
        assert!(repository(&empty).fix.is_none(), "{empty}");
        let failed = repository(&json!({"repo": "api", "state": "failed", "reason": "no commits"}));
        assert!(failed.lines().starts_with("!! repository api: failed: no commits\n   fix: "), "{failed:?}");
    }

    #[test]
    fn incompatible_data_version_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("VERSION"), "99\n").unwrap();
        let findings = data_folder(folder.path());
        assert!(findings.iter().any(|finding| finding.fix.is_some()), "{findings:?}");
        assert!(data_folder(&folder.path().join("missing")).iter().all(|finding| finding.fix.is_none()));
    }
}
