//! The practice project: a small folder of JavaScript whose fourth test waits for a decision.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The project's files, by their path in it.
const FILES: [(&str, &str); 6] = [
    ("README.md", include_str!("project/README.md")),
    ("package.json", include_str!("project/package.json")),
    ("src/calc.js", include_str!("project/src/calc.js")),
    ("src/notes.md", include_str!("project/src/notes.md")),
    ("test/calc.test.js", include_str!("project/test/calc.test.js")),
    (".sayso/rules.toml", include_str!("project/.sayso/rules.toml")),
];

/// Write a fresh copy into a new folder below `parent`: `calc`, or `calc-2`, `calc-3` and so on. Nothing that exists is
/// touched. Returns the new folder.
///
/// # Errors
/// When the folder or a file cannot be written.
pub fn unpack(parent: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(parent)?;
    let folder = new_folder(parent)?;
    for (path, text) in FILES {
        let file = folder.join(path);
        if let Some(above) = file.parent() {
            fs::create_dir_all(above)?;
        }
        fs::write(file, text)?;
    }
    Ok(folder)
}

fn new_folder(parent: &Path) -> io::Result<PathBuf> {
    let mut number = 1_u32;
    loop {
        let folder = parent.join(if number == 1 { "calc".to_owned() } else { format!("calc-{number}") });
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}
