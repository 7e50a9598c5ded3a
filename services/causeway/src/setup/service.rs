//! A service of the user that runs the server: a systemd unit, or a launchd property list.

use std::path::{Path, PathBuf};

use super::{
    file_edit::WHOLE_FILE_MARK,
    user_folders::{Platform, UserFolders},
};
use crate::exit::{CommandError, Exit};

const SYSTEMD_FILE: &str = "$CONFIG/systemd/user/causeway.service";
const LAUNCHD_FILE: &str = "~/Library/LaunchAgents/org.causeway.server.plist";

/// A service: its file, and the commands that start and stop it.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) file: PathBuf,
    pub(crate) content: String,
    pub(crate) start: &'static str,
    /// Does not name the file, which is removed before the command is printed.
    pub(crate) stop: &'static str,
}

/// Returns the service of this operating system that runs a command line.
pub(crate) fn service(folders: &UserFolders, command_line: &[String]) -> Result<Service, CommandError> {
    match folders.platform {
        Platform::Linux => Ok(Service {
            file: folders.expand(SYSTEMD_FILE),
            content: systemd_unit(command_line),
            start: "systemctl --user daemon-reload && systemctl --user enable --now causeway",
            stop: "systemctl --user disable --now causeway",
        }),
        Platform::MacOs => Ok(Service {
            file: folders.expand(LAUNCHD_FILE),
            content: launchd_list(command_line, &folders.home),
            start: "launchctl load -w ~/Library/LaunchAgents/org.causeway.server.plist",
            stop: "launchctl remove org.causeway.server",
        }),
        Platform::Windows => Err(CommandError::new(
            Exit::Usage,
            "there is no service for this operating system: start `causeway up` from its task scheduler",
        )),
    }
}

fn systemd_unit(command_line: &[String]) -> String {
    let words: Vec<String> = command_line.iter().map(|word| systemd_word(word)).collect();
    format!(
        "# {WHOLE_FILE_MARK}; `causeway setup --undo` removes it.\n\
         [Unit]\n\
         Description=Causeway, one MCP endpoint for the repositories of this user\n\
         \n\
         [Service]\n\
         ExecStart={}\n\
         Restart=on-failure\n\
         RestartSec=5\n\
         # A restart does not fix invalid arguments.\n\
         RestartPreventExitStatus=2\n\
         TimeoutStopSec=30\n\
         # About 32 files per repository.\n\
         LimitNOFILE=65536\n\
         UMask=0077\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
        words.join(" ")
    )
}

/// Quotes a word for `ExecStart`, which replaces specifiers and variables.
fn systemd_word(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    let is_plain = escaped == word && !word.is_empty() && !word.contains([' ', '\t', '\'', ';']);
    if is_plain { escaped } else { format!("\"{escaped}\"") }
}

fn launchd_list(command_line: &[String], home: &Path) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let words: String = command_line.iter().map(|word| format!("    <string>{}</string>\n", escape(word))).collect();
    let log = escape(&home.join("Library/Logs/causeway.log").display().to_string());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <!-- {WHOLE_FILE_MARK}; it is removed by undoing the set-up. -->\n\
         <plist version=\"1.0\">\n\
         <dict>\n  <key>Label</key>\n  <string>org.causeway.server</string>\n  \
         <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n  \
         <key>RunAtLoad</key>\n  <true/>\n  \
         <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n  \
         <key>StandardErrorPath</key>\n  <string>{log}</string>\n\
         </dict>\n</plist>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_quoted() {
        for (word, expected) in [
            ("/usr/bin/causeway", "/usr/bin/causeway"),
            ("/my code", "\"/my code\""),
            ("100%", "\"100%%\""),
            ("$HOME", "\"$$HOME\""),
            ("a\"b", "\"a\\\"b\""),
            ("", "\"\""),
        ] {
            assert_eq!(systemd_word(word), expected);
        }
    }

    #[test]
    fn services_follow_the_operating_system() {
        let command_line = ["/opt/causeway", "up", "/code & more"].map(str::to_owned);
        let of = |platform| service(&UserFolders::below(platform, Path::new("/home/ada")), &command_line);
        let unit = of(Platform::Linux).unwrap();
        assert!(unit.file.ends_with(".config/systemd/user/causeway.service"), "{unit:?}");
        assert!(unit.content.contains("\nExecStart=/opt/causeway up \"/code & more\"\n"), "{}", unit.content);
        let list = of(Platform::MacOs).unwrap();
        assert!(list.content.contains("<string>/code &amp; more</string>"), "{}", list.content);
        for service in [&unit, &list] {
            assert!(!service.stop.contains(service.file.file_name().unwrap().to_str().unwrap()), "{service:?}");
        }
        assert!(of(Platform::Windows).is_err());
    }
}
