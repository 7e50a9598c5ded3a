//! The options of commands that take a password and have no telling name, such as `mysql -pVALUE`.

use super::assigned_values::ValueForm;
use super::rules::RuleSpec;
use super::secret_value::is_secret;
use super::telling_names::NameKind;

/// The pattern of commands, and the pattern of the option that takes a password.
const OPTIONS: [(&str, &str); 8] = [
    ("mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mariadb-admin", "-p"),
    ("(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|helm registry) login", "-p "),
    ("sshpass", "-p ?"),
    ("redis-cli", "-a "),
    ("mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mosquitto_pub|mosquitto_sub", "-[pP] "),
    ("zip|unzip|htpasswd|ldapsearch|ldapadd|ldapmodify", "-[Pw] "),
    ("7z[ar]?", "-p"),
    ("az login", "-p "),
];

/// The beginning of an option. It is short, since every text is searched for it.
const TRIGGER: &str = " -[apPw]";

/// Returns the rule for the options of commands.
pub(super) fn rule() -> RuleSpec {
    let commands = OPTIONS
        .map(|(commands, option)| format!(r#"(?:{commands})[ \t](?:[^\n|;]*?[ \t])?{option}["']?([^\s"']{{8,}})"#));
    let pattern = format!(r"(?-u:\b)(?:{})", commands.join("|"));
    (TRIGGER.to_owned(), pattern, is_password_option)
}

fn is_password_option(value: &str) -> bool {
    is_secret(value, NameKind::Password, ValueForm::Setting)
}
