//! Lets Tauri embed the page, also where it has not been built.

use std::{error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    println!("cargo:rerun-if-changed=ui/dist");
    // `cargo check` and `cargo test` must not need Node: stand in for a page that is not built yet.
    let index = Path::new("ui/dist/index.html");
    if !index.exists() {
        fs::create_dir_all("ui/dist")?;
        fs::write(index, "<!doctype html><title>Sayso</title><p>The page is not built. Run: ./dev run\n")?;
    }
    let attributes = tauri_build::Attributes::new().capabilities_path_pattern("./src-tauri/capabilities/**/*");
    Ok(tauri_build::try_build(attributes)?)
}
