//! Values with marks of code, in the syntaxes that set a name without quotes or within the quotes of a longer text.

/// Syntaxes in which the value ends with its line or before a blank.
pub(crate) const UNQUOTED_SYNTAXES: &[(&str, &str)] = &[
    ("env", "PORT=1\nNAME=VALUE\nHOST=localhost\n"),
    ("export", "export NAME=VALUE\n"),
    ("YAML", "db:\n  NAME: VALUE\n  port: 1\n"),
    ("YAML with a comment", "NAME: VALUE  # rotated in May\n"),
    ("YAML, no-break space", "NAME:\u{a0}VALUE\n"),
    ("properties", "app.NAME=VALUE\napp.port=1\n"),
    ("INI", "[service]\nNAME = VALUE\nport = 1\n"),
    ("compose list", "    environment:\n      - PORT=1\n      - NAME=VALUE\n"),
    ("Dockerfile ENV", "FROM alpine\nENV NAME VALUE\nRUN make\n"),
    ("Dockerfile ENV with =", "ENV NAME=VALUE\n"),
    ("Dockerfile ARG", "ARG NAME=VALUE\n"),
    ("npmrc", "//npm.example.org/:_authToken=VALUE\n# NAME\n"),
    ("flag", "deploy --NAME VALUE --verbose\n"),
    ("Kubernetes env", "        - name: NAME\n          value: VALUE\n"),
];

/// Syntaxes within double quotes.
pub(crate) const QUOTED_SYNTAXES: &[(&str, &str)] = &[
    ("echo", "echo \"NAME=VALUE\" >> .env\n"),
    ("JSON list", "{\"env\": [\"NAME=VALUE\", \"PORT=1\"]}\n"),
    ("compose list, quoted", "    environment:\n      - \"NAME=VALUE\"\n"),
    ("connection string", "{\"Default\": \"Server=db;User Id=sa;Password=VALUE;Encrypt=True\"} // NAME\n"),
    ("connection string, last", "\"Server=db;NAME=VALUE\"\n"),
    ("libpq", "dsn: \"host=db user=x password=VALUE dbname=y\" # NAME\n"),
];

/// Syntaxes with the value apart from its name.
pub(crate) const APART_SYNTAXES: &[(&str, &str)] = &[
    ("YAML with a comment before the value", "NAME: # rotated in May\n  VALUE\n"),
    ("YAML with a comment line", "- name: NAME\n  # the staging one\n  value: VALUE\n"),
    ("YAML string on the next line", "NAME: \"\\\n  VALUE\"\n"),
    ("XML with an attribute", "<NAME type=\"string\">VALUE</NAME>\n"),
    ("XML with an attribute and lines", "<NAME encrypted=\"false\">\n  VALUE\n</NAME>\n"),
    ("XML with a namespace", "<wsse:NAME Type=\"https://docs.example/wss#text\">VALUE</wsse:NAME>\n"),
    ("TSV column", "id\tNAME\turl\n1\tVALUE\thttps://a.example\n2\tVALUE\thttps://b.example\n"),
    ("TSV column, last", "id\tNAME\n1\tVALUE\n"),
    ("Terraform parameter", "  name  = \"/app/prod/NAME\"\n  type  = \"SecureString\"\n  value = \"VALUE\"\n"),
];
