//! The desktop shell without a window: commands and events on Tauri's mock runtime, and the page's types.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

/// `UPDATE_BINDINGS=1 cargo test --test shell` writes the file anew.
#[test]
fn the_pages_types_are_those_of_the_core() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/src/bindings.ts");
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        sayso_desktop::write_typescript(&file).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let fresh = folder.path().join("bindings.ts");
    sayso_desktop::write_typescript(&fresh).unwrap();
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&fresh), read(&file), "run UPDATE_BINDINGS=1 cargo test --test shell and look at the change");
}
