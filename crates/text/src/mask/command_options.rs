//! The options of commands that take a password and have no telling name, such as `mysql -pVALUE`.

use super::assigned_values::ValueForm;
use super::rules::{RuleSpec, ValuePredicate};
use super::secret_value::is_secret;
use super::telling_names::NameKind;

/// The pattern of commands, and the pattern of the option that takes a password.
const OPTIONS: [(&str, &str); 9] = [
    ("mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mariadb-admin", "-p"),
    ("(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|helm registry) login", "-p "),
    ("sshpass", "-p ?"),
    ("redis-cli", "-a "),
    ("mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mosquitto_pub|mosquitto_sub", "-[pP] "),
    ("zip|unzip|htpasswd|ldapsearch|ldapadd|ldapmodify", "-[Pw] "),
    ("7z[ar]?", "-p"),
    ("az login", "-p "),
    ("twine upload|cqlsh|(?:cf|oc) login", "-p "),
];

/// The beginning of an option. It is short, since every text is searched for it.
const TRIGGER: &str = " -[apPw]";

/// Commands whose password has another place: the beginning that every text is searched for, and the pattern.
const PLACES: [(&str, &str); 9] = [
    (
        "htpasswd ",
        r#"htpasswd[ \t]+-[A-Za-z0-9]*b[A-Za-z0-9]*[ \t]+(?:-[^\n \t]*[ \t]+){0,4}[^\s|;-]\S*[ \t]+(?:[^\s|;-]\S*[ \t]+)?["']?([^\s"'|;]{8,})"#,
    ),
    ("(?:sqlcmd|bcp)[ \t]", r#"(?:sqlcmd|bcp)[ \t](?:[^\n|;]*?[ \t])?-P[ \t]?["']?([^\s"']{8,})"#),
    (
        "(?:smbclient|rpcclient)[ \t]",
        r#"(?:smbclient|rpcclient)[ \t](?:[^\n|;]*?[ \t])?(?:-U|--user)[ \t=]?["']?[^\s%"']+%([^\s"']{8,})"#,
    ),
    ("openssl[ \t]", r#"openssl[ \t](?:[^\n|;]*?[ \t])?-k[ \t]["']?([^\s"']{8,})"#),
    (
        // The name of a user and a colon stand before the password.
        "(?:https?|xhs?|etcdctl)[ \t]",
        r#"(?:https?|xhs?|etcdctl)[ \t](?:[^\n|;]*?[ \t])?(?:-a|--auth|--user)[ \t=]["']?[A-Za-z0-9_.@-]+:([^\s"'|;]{8,})"#,
    ),
    (
        "(?:cargo[ \t]+login|snyk[ \t]+auth|rabbitmqctl|http-basic|mc[ \t]+alias|doctl[ \t]+auth)",
        r#"(?:cargo[ \t]+login|snyk[ \t]+auth|rabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+\S+|poetry[ \t]+config[ \t]+http-basic\.\S+[ \t]+\S+|mc[ \t]+alias[ \t]+set(?:[ \t]+\S+){3}|doctl[ \t]+auth[ \t]+init[ \t]+(?:-t|--access-token))[ \t]+["']?([^\s"'$|;&<>{}()-][^\s"'|;]{7,})"#,
    ),
    ("ConvertTo-SecureString", r#"ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?["']?([^\s"'($-][^\s"']{7,})"#),
    (
        // The answer of a script to a prompt, in Tcl and in Python.
        r#"send(?:line\(|[ \t]+(?:--[ \t]+)?)["']"#,
        r#"expect[^\n"']{0,40}["'][^\n]{0,40}?(?i-u:assword|assphrase)[^\n]{0,60}\n?[ \t]*(?:[A-Za-z_.]*\.|exp_)?send(?:line\(|[ \t]+(?:--[ \t]+)?)["']([^\s"'$\[]{8,}?)(?:\\[rn])*["']"#,
    ),
    (
        "chpasswd",
        r#"(?:echo|printf)[ \t]+(?:-[a-z]+[ \t]+)?["']?[A-Za-z0-9_.-]+:([^\s"'|]{8,}?)(?:\\n)?["']?[ \t]*\|[^\n|]*chpasswd"#,
    ),
];

/// Returns the rules for the options of commands.
pub(super) fn rules() -> Vec<RuleSpec> {
    let commands = OPTIONS
        .map(|(commands, option)| format!(r#"(?:{commands})[ \t](?:[^\n|;]*?[ \t])?{option}["']?([^\s"']{{8,}})"#));
    let pattern = format!(r"(?-u:\b)(?:{})", commands.join("|"));
    let options = (TRIGGER.to_owned(), pattern, is_password_option as ValuePredicate);
    let places = PLACES.map(|(trigger, pattern)| {
        (trigger.to_owned(), format!(r"(?-u:\b){pattern}"), is_password_option as ValuePredicate)
    });
    [options].into_iter().chain(places).collect()
}

fn is_password_option(value: &str) -> bool {
    is_secret(value, NameKind::Password, ValueForm::Setting)
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn passwords_of_commands_are_masked() {
        for line in [
            "htpasswd -bc /etc/nginx/users bob SECRET",
            "htpasswd -nbB bob SECRET",
            "sqlcmd -S db -U sa -P SECRET -Q x",
            "smbclient //srv/share -U bob%SECRET",
            "openssl enc -aes-256-cbc -in a -out b -k SECRET",
            "twine upload -u __token__ -p SECRET dist/*",
            "cqlsh -u bob -p SECRET",
            "http -a bob:SECRET https://x",
            "etcdctl --user root:SECRET get x",
            "cargo login SECRET",
            "snyk auth SECRET",
            "rabbitmqctl add_user bob SECRET",
            "poetry config http-basic.foo bob SECRET",
            "mc alias set m http://x bob SECRET",
            "doctl auth init -t SECRET",
            "$secure = ConvertTo-SecureString -String 'SECRET' -AsPlainText -Force",
            "ConvertTo-SecureString \"SECRET\" -AsPlainText -Force",
            "echo \"bob:SECRET\" | chpasswd",
            "printf 'bob:SECRET\\n' | chpasswd",
            "echo 'root:SECRET' | sudo chpasswd -e",
            "expect \"*?assword:*\"\nsend \"SECRET\\r\"",
            "expect \"Password:\" { send -- \"SECRET\\r\"; exp_continue }",
            "child.expect('[Pp]assword: ')\n    child.sendline('SECRET')",
        ] {
            let masked = mask_secrets(&line.replace("SECRET", "q8ZtLr2VxN4mWc7K")).into_owned();
            assert_eq!(masked, line.replace("SECRET", "[masked]"));
        }
    }

    #[test]
    fn other_arguments_of_commands_are_kept() {
        for line in [
            "htpasswd -c /etc/nginx/users-q8ZtLr2VxN4mWc7K bob",
            "htpasswd -bc /etc/nginx/users bob $PASSWORD",
            "sqlcmd -S db-q8ZtLr2VxN4mWc7K -P $SA_PASSWORD",
            "smbclient //srv/share -U bob%$PASSWORD",
            "openssl enc -in a -out q8ZtLr2VxN4mWc7K -k \"$KEY\"",
            "twine upload -u bob dist/q8ZtLr2VxN4mWc7K",
            "http -a bob:$PASSWORD https://x/q8ZtLr2VxN4mWc7K",
            "http https://x/a:q8ZtLr2VxN4mWc7K",
            "cargo login --registry q8ZtLr2VxN4mWc7K",
            "cargo login $TOKEN",
            "snyk auth <YOUR_TOKEN_HERE>",
            "rabbitmqctl add_vhost q8ZtLr2VxN4mWc7K",
            "poetry config http-basic.foo bob $TOKEN",
            "openssl s_client -k ; cp -k q8ZtLr2VxN4mWc7K",
            "ConvertTo-SecureString -String $password -AsPlainText",
            "ConvertTo-SecureString (Get-Content .\\key.txt) -Key $key",
            "echo \"bob:$PASSWORD\" | chpasswd",
            "expect \"*?assword:*\"\nsend \"$password\\r\"",
            "expect \"password:\"\nsend \"yes\\r\"",
            "expect \"ready\"\nsend \"q8ZtLr2VxN4mWc7K\\r\"",
            "If the password is wrong, send \"access-denied-q8Z\" to the client",
            "On a wrong password,\nsend \"access-denied-q8Z\" to the client",
            "Clients expect a password, and send \"access-denied-q8Z\" otherwise",
            "expect(/password/)\n\nchild.sendline('q8ZtLr2VxN4mWc7K')",
            "echo \"bob:q8ZtLr2VxN4mWc7K\" | tee ids",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
