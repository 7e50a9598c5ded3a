//! The `causeway` binary for the end-to-end tests, which cargo builds with them.

fn main() -> std::process::ExitCode {
    causeway::main()
}
