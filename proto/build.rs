//! Compiles every `.proto` of this folder with protox, so that no protoc is needed.

use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    collect(Path::new("solvane"), &mut files)?;
    files.sort();
    println!("cargo::rerun-if-changed=solvane");
    let descriptors = protox::compile(&files, ["."])?;
    tonic_prost_build::configure().include_file("packages.rs").compile_fds(descriptors)?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    Ok(())
}
