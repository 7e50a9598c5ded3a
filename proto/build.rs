//! Compiles the proto files with a compiler in Rust, and stores their descriptors for server reflection.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message as _;

const FILES: &[&str] = &[
    "causeway/v1/changes.proto",
    "causeway/v1/common.proto",
    "causeway/v1/graph.proto",
    "causeway/v1/overview.proto",
    "causeway/v1/shard.proto",
    "causeway/v1/indexing.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=causeway");
    let descriptors = protox::compile(FILES, ["."])?;
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out_dir.join("descriptors.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
