//! The `causeway` binary as the tests run it: the same code, which cargo builds before they start.

fn main() -> std::process::ExitCode {
    causeway::main()
}
