//! The `causeway` binary.

fn main() -> std::process::ExitCode {
    causeway::main()
}
