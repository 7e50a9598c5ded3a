//! `causeway call`: calls a tool of the running server and prints its result unchanged.

use std::io::Read as _;

use serde_json::{Value, json};

use crate::{
    backend,
    exit::{CommandError, Exit},
    options::{GlobalOptions, ServerOptions},
    output::{print, print_json},
};

const EXAMPLE: &str = "\
Example:
  causeway call list_repos
  causeway call search_codebase '{\"query\": \"retry with back-off\", \"limit\": 3}'
  echo '{\"pattern\": \"parse_args\"}' | causeway call search_symbols - --json

Prints the text of the result; with --json its structured content, or the whole result if it has none.
The exit code is 4 if the server cannot be reached, and 5 if the tool returns an error.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct CallArgs {
    /// Name of the tool
    tool: String,
    /// Arguments of the tool, a JSON object; - reads standard input
    #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
    arguments: String,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(args: CallArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let arguments = read_arguments(&args.arguments)?;
    let server = backend::require_server(&args.server, global)?;
    let answered = server.call(&args.tool, arguments).await?;
    let whole = || json!({ "content": [{ "type": "text", "text": answered.text }], "isError": answered.is_error });
    if global.json {
        print_json(&answered.structured.clone().unwrap_or_else(whole))?;
    } else {
        print(&answered.text)?;
    }
    Ok(if answered.is_error { Exit::ToolError } else { Exit::Done })
}

fn read_arguments(argument: &str) -> anyhow::Result<Value> {
    let mut text = argument.to_owned();
    if argument == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text)?;
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(arguments)) => Ok(Value::Object(arguments)),
        Ok(_) => Err(invalid_arguments("this is JSON, but not an object")),
        Err(error) => Err(invalid_arguments(&error.to_string())),
    }
}

fn invalid_arguments(reason: &str) -> anyhow::Error {
    let message = format!("the arguments must be a JSON object, such as '{{\"query\": \"retry\"}}': {reason}");
    CommandError::new(Exit::Usage, message).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_must_be_an_object() {
        assert_eq!(read_arguments("{\"limit\": 3}").unwrap(), json!({"limit": 3}));
        for wrong in ["[]", "retry", "{"] {
            let error = read_arguments(wrong).unwrap_err();
            assert_eq!(crate::exit::of(&error), Exit::Usage, "{error}");
        }
    }
}
