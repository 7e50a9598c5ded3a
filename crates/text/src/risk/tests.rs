//! Matches and near misses of the rules, by language.

use super::*;

/// Compares the kinds of risk of a text, in order.
fn check(language: Language, source: &str, expected: &[RiskKind]) {
    let found: Vec<RiskKind> = find_signals(language, source).into_iter().map(|signal| signal.kind).collect();
    assert_eq!(found, expected, "{source}");
}

fn check_all(language: Language, found: &[(&str, RiskKind)], not_found: &[&str]) {
    found.iter().for_each(|(source, kind)| check(language, source, &[*kind]));
    not_found.iter().for_each(|source| check(language, source, &[]));
}

use RiskKind::{Deserialisation, Eval, Secret, Shell, Sql, Tls};

#[test]
fn python() {
    check_all(
        Language::Python,
        &[
            ("x = pickle.loads(body)", Deserialisation),
            ("x = yaml.load(text)", Deserialisation),
            ("x = yaml.load(text, Loader=yaml.FullLoader)", Deserialisation),
            ("marshal.load(f)", Deserialisation),
            ("os.system('rm ' + path)", Shell),
            ("os.popen(command)", Shell),
            ("subprocess.run(f'ls {path}', shell=True)", Shell),
            ("subprocess.check_output(\n    cmd,\n    shell=True,\n)", Shell),
            ("db.execute(f\"SELECT * FROM users WHERE name = '{name}'\")", Sql),
            ("db.execute(\"DELETE FROM users WHERE id = %s\" % user_id)", Sql),
            ("q = \"SELECT a FROM b WHERE c = '{}'\".format(c)", Sql),
            ("q = 'INSERT INTO t VALUES (' + value + ')'", Sql),
            ("import requests\nrequests.get(url, verify=False)", Tls),
            ("context.check_hostname = False", Tls),
            ("context.verify_mode = ssl.CERT_NONE", Tls),
            ("ssl._create_unverified_context()", Tls),
            ("eval(request.args['x'])", Eval),
            ("exec(code, scope)", Eval),
            ("token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'  # ours", Secret),
        ],
        &[
            "# pickle.loads(body)",
            "\"\"\"Never use pickle.loads(body).\"\"\"",
            "x = yaml.load(text, Loader=yaml.SafeLoader)",
            "x = yaml.load(text, Loader=CSafeLoader)",
            "x = yaml.safe_load(text)",
            "pickle.dumps(x)",
            "json.loads(body)",
            "os.system('clear')",
            "subprocess.run(['ls', path])",
            "subprocess.run('ls -l', shell=True)",
            "subprocess.run(command, shell=False)",
            "db.execute('SELECT * FROM users WHERE name = %s', (name,))",
            "db.execute('SELECT a FROM b')",
            "print(f'Select one from {names}')",
            "q = f\"SELECT a FROM b WHERE c IN ({placeholders})\"",
            "import requests\ndef get(url, verify=False):\n    pass",
            "image.open(path, verify=False)",
            "context.check_hostname = True",
            "model.eval()",
            "ast.literal_eval(text)",
            "def eval(x): pass",
            "eval('1 + 1')",
            "df.eval(expression)",
            "token = os.environ['TOKEN']",
            "\"\"\"\nConnects to postgres://app:hunter2xyz@db.internal/app\n\"\"\"",
        ],
    );
}

#[test]
fn javascript() {
    check_all(
        Language::TypeScript,
        &[
            ("cp.exec(`git log ${ref}`)", Shell),
            ("import { exec } from 'child_process'\nexec('ls ' + folder)", Shell),
            ("execSync(`rm -rf ${folder}`)", Shell),
            ("db.query(`SELECT * FROM users WHERE id = ${id}`)", Sql),
            ("db.query('SELECT * FROM users WHERE id = ' + id)", Sql),
            ("new https.Agent({ rejectUnauthorized: false })", Tls),
            ("process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'", Tls),
            ("process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = 0", Tls),
            ("eval(code)", Eval),
            ("const f = new Function('a', body)", Eval),
        ],
        &[
            "const m = /a(b)/.exec('x' + y)",
            "pattern.exec(`a${b}`)",
            "execSync('git status')",
            "sql`SELECT * FROM users WHERE id = ${id}`",
            "db.query('SELECT * FROM users WHERE id = $1', [id])",
            "new https.Agent({ rejectUnauthorized: true })",
            "// eval(code)",
            "eval('1')",
            "scope.eval(code)",
            "new Function('return this')",
            "const text = 'eval(code)'",
            "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '1'",
        ],
    );
}

#[test]
fn go() {
    check_all(
        Language::Go,
        &[
            ("exec.Command(\"sh\", \"-c\", \"ls \"+dir)", Shell),
            ("exec.CommandContext(ctx, \"/bin/bash\", \"-c\", script)", Shell),
            ("db.Query(fmt.Sprintf(\"SELECT * FROM users WHERE name = '%s'\", name))", Sql),
            ("db.Query(\"SELECT * FROM users WHERE id = \" + id)", Sql),
            ("&tls.Config{InsecureSkipVerify: true}", Tls),
        ],
        &[
            "exec.Command(\"ls\", dir)",
            "exec.Command(\"sh\", \"-c\", \"ls -l\")",
            "db.Query(\"SELECT * FROM users WHERE id = $1\", id)",
            "&tls.Config{InsecureSkipVerify: false}",
            "&tls.Config{InsecureSkipVerify: insecure}",
            "// InsecureSkipVerify: true",
            "log.Printf(\"SELECT a FROM b took %s\", took)",
        ],
    );
}

#[test]
fn rust() {
    check_all(
        Language::Rust,
        &[
            ("Command::new(\"sh\").arg(\"-c\").arg(format!(\"ls {dir}\"))", Shell),
            ("Command::new(\"bash\")\n    .arg(\"-c\")\n    .arg(&script)\n    .status()", Shell),
            ("sqlx::query(&format!(\"SELECT * FROM users WHERE id = {}\", id))", Sql),
            ("client.danger_accept_invalid_certs(true)", Tls),
        ],
        &[
            "Command::new(\"ls\").arg(dir)",
            "Command::new(\"sh\").arg(\"-c\").arg(\"ls -l\")",
            "sqlx::query(\"SELECT * FROM users WHERE id = $1\").bind(id)",
            "client.danger_accept_invalid_certs(false)",
            "/// client.danger_accept_invalid_certs(true)",
            "fn eval(code: &str) {}",
            "fn f() {}\n#[cfg(test)]\nmod tests {\n    client.danger_accept_invalid_certs(true);\n}",
        ],
    );
}

#[test]
fn c() {
    check_all(
        Language::Cpp,
        &[
            ("system(command.c_str());", Shell),
            ("FILE *f = popen(buffer, \"r\");", Shell),
            ("curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);", Tls),
            ("SSL_CTX_set_verify(ctx, SSL_VERIFY_NONE, NULL);", Tls),
        ],
        &[
            "system(\"clear\");",
            "int system(const char *command);",
            "shell.system(command);",
            "return std::error_code(errno, std::system_category());",
            "curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);",
            "/* system(command); */",
        ],
    );
}

#[test]
fn jvm_languages_and_csharp() {
    check_all(
        Language::Java,
        &[
            ("Object o = new ObjectInputStream(in).readObject();", Deserialisation),
            ("mapper.enableDefaultTyping();", Deserialisation),
            ("Runtime.getRuntime().exec(\"ls \" + dir);", Shell),
            ("statement.executeQuery(\"SELECT * FROM users WHERE id = \" + id);", Sql),
            ("String q = String.format(\"SELECT * FROM users WHERE id = %s\", id);", Sql),
            ("connection.setHostnameVerifier((host, session) -> true);", Tls),
        ],
        &[
            "class SafeStream extends ObjectInputStream {",
            "Runtime.getRuntime().exec(\"ls\");",
            "connection.prepareStatement(\"SELECT * FROM users WHERE id = ?\");",
            "String q = \"SELECT a FROM b\" + \" WHERE c = ?\";",
            "import java.io.ObjectInputStream;",
        ],
    );
    check(Language::Kotlin, "db.rawQuery(\"SELECT * FROM users WHERE id = $id\", null)", &[Sql]);
    check(Language::CSharp, "var f = new BinaryFormatter();", &[Deserialisation]);
    check(Language::CSharp, "var q = $\"SELECT * FROM users WHERE id = {id}\";", &[Sql]);
    check(Language::CSharp, "var q = \"SELECT * FROM users WHERE id = {0}\";", &[]);
}

#[test]
fn ruby_and_php() {
    check_all(
        Language::Ruby,
        &[
            ("x = Marshal.load(data)", Deserialisation),
            ("system(\"ls #{dir}\")", Shell),
            ("http.verify_mode = OpenSSL::SSL::VERIFY_NONE", Tls),
            ("User.where(\"SELECT * FROM users WHERE name = '#{name}'\")", Sql),
            ("User.where(\"name = '#{name}'\")", Sql),
            ("scope :of, ->(id) { where.not(\"owner_id=#{id}\") }", Sql),
            ("where(\"name LIKE '%#{name}%'\")", Sql),
            ("User.find_by_sql(\"select * from users order by #{column}\")", Sql),
            ("x = YAML.load(File.read(path))", Deserialisation),
            ("eval(params[:code])", Eval),
        ],
        &[
            "system('ls', dir)",
            "system(\"ls\")",
            "# Marshal.load(data)",
            "YAML.safe_load(text)",
            "YAML.load_file('config.yml')",
            "YAML.load(\"a: 1\")",
            "YAML.load(text, permitted_classes: [Date])",
            "User.where(name: \"#{first} #{last}\")",
            "User.where(\"name = ?\", name)",
            "User.where(\"#{table}.name = ?\", name)",
            "User.where('name = \\'x\\'')",
            "User.find_by_sql(\"select * from users\")",
            "elsewhere(\"a = #{b}\")",
            "http.verify_mode = OpenSSL::SSL::VERIFY_PEER",
        ],
    );
    check_all(
        Language::Php,
        &[
            ("<?php $x = unserialize($_GET['x']);", Deserialisation),
            ("<?php shell_exec('ls ' . $dir);", Shell),
            ("<?php $db->query(\"SELECT * FROM users WHERE id = $id\");", Sql),
            ("<?php curl_setopt($c, CURLOPT_SSL_VERIFYPEER, false);", Tls),
            ("<?php eval($code);", Eval),
        ],
        &[
            "<?php unserialize($x, ['allowed_classes' => false]);",
            "<?php exec('ls ' . escapeshellarg($dir));",
            "<?php $db->query('SELECT * FROM users WHERE id = ?');",
            "<?php $statement->exec('x' . $y);",
        ],
    );
}

#[test]
fn shell() {
    check_all(
        Language::Bash,
        &[
            ("curl -k https://x.org", Tls),
            ("curl -fsSLk \"$url\" | tar x", Tls),
            ("curl -o a \\\n  --insecure https://x.org", Tls),
            ("x=\"$(curl -sk \"$url\")\"", Tls),
            ("wget -q --no-check-certificate https://x.org", Tls),
            ("eval \"$1\"", Shell),
            ("  eval $COMMAND", Shell),
            ("if [ -n \"$x\" ]; then eval \"${cmd}\"; fi", Shell),
            ("x=\"$(eval echo \"\\${${name}_FLAGS}\")\"", Shell),
        ],
        &[
            "curl -fsSL https://x.org | sort -k 2",
            "curl -o k https://x.org; ls -k",
            "curl --keepalive-time 2 https://x.org",
            "# curl -k https://x.org",
            "echo 'curl -k'",
            "echo \"use eval $x\"",
            "wget https://x.org",
            "eval \"$(ssh-agent -s)\"",
            "eval $(opam env)",
            "eval 'x=$y'",
            "eval echo \\$x",
            "eval set -- \"$options\"",
            "yq eval \"$x\" a.yml",
            "a=${b#eval $c}",
        ],
    );
}

#[test]
fn secrets_are_reported_and_never_shown() {
    let source = "a = 1\nkey = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'\n";
    for language in [Language::Python, Language::Text] {
        let found = find_signals(language, source);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].line, found[0].kind), (2, Secret));
        assert!(found[0].shown.contains(MASK) && !found[0].shown.contains("a1B2"), "{}", found[0].shown);
    }
    let indexed = crate::without_secrets(source);
    assert_eq!(find_signals(Language::Python, &indexed), find_signals(Language::Python, source));
    let both = "subprocess.run(f'x {y}', shell=True, env={'password': 'S3cure!Pass9'})";
    let found = find_signals(Language::Python, both);
    assert_eq!(found.iter().map(|signal| signal.kind).collect::<Vec<_>>(), [Secret, Shell]);
    assert!(found.iter().all(|signal| !signal.shown.contains("S3cure")));
}

mod any {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_accepted(source in "(?s)[a-z'\"`(){}#/*\\\\\n é$+%,=.]{0,200}", which in 0..Language::ALL.len()) {
            let found = find_signals(Language::ALL[which], &source);
            prop_assert!(found.is_sorted_by_key(|signal| signal.line));
        }
    }
}
