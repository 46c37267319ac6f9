//! Where a path of the model's leads, inside the workspace. Whatever leaves it, by its spelling or through a link, is
//! refused here until the gate judges paths.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

/// An existing regular file inside the workspace.
#[derive(Debug)]
pub(super) struct Found {
    /// Relative to the workspace, with `/` between the parts: what a model and a person read.
    pub(super) shown: String,
    /// The file itself, every link followed.
    pub(super) real: PathBuf,
}

/// The file that `given` names, or a sentence on why there is none.
pub(super) fn find_file(workspace: &Path, given: &str) -> Result<Found, String> {
    let plain = plain_path(workspace, given)?;
    let shown = shown(workspace, &plain);
    let real = match fs::canonicalize(&plain) {
        Ok(real) => real,
        Err(error) if is_missing(&error) => return Err(missing(workspace, &plain, &shown)),
        Err(error) => return Err(format!("{shown} cannot be opened: {error}.")),
    };
    if !real.starts_with(workspace) {
        return Err(format!("{given} leads out of the workspace through a link; only files inside it can be used."));
    }
    let metadata = fs::metadata(&real).map_err(|error| format!("{shown} cannot be opened: {error}."))?;
    if metadata.is_dir() {
        return Err(format!("{shown} is a folder, not a file. Name a file in it."));
    }
    if !metadata.is_file() {
        return Err(format!("{shown} is no regular file (a device, a pipe or a socket)."));
    }
    Ok(Found { shown, real })
}

/// Missing, or below something that is no folder.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The absolute path with its dots removed, inside the workspace by its spelling.
fn plain_path(workspace: &Path, given: &str) -> Result<PathBuf, String> {
    if given.trim().is_empty() {
        return Err("the path is empty. Name a file, relative to the workspace.".to_owned());
    }
    if given.contains('\0') {
        return Err(format!("{given:?} has a NUL character in it and can be no path."));
    }
    let mut plain = PathBuf::new();
    for part in workspace.join(given).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    if plain.starts_with(workspace) {
        Ok(plain)
    } else {
        Err(format!("{given} is outside the workspace; only files inside it can be used."))
    }
}

fn shown(workspace: &Path, plain: &Path) -> String {
    let relative = plain.strip_prefix(workspace).unwrap_or(plain);
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// Why there is no such file, with the names that come close to it.
fn missing(workspace: &Path, plain: &Path, path: &str) -> String {
    if plain.symlink_metadata().is_ok() {
        return format!("{path} is a link to something that does not exist.");
    }
    let (Some(folder), Some(name)) = (plain.parent(), plain.file_name()) else {
        return format!("{path} does not exist.");
    };
    // A link on the way may lead out; then nothing of that folder is told.
    let inside = fs::canonicalize(folder).is_ok_and(|real| real.starts_with(workspace));
    if !folder.is_dir() {
        return format!("{path} does not exist; there is no folder {} either.", shown(workspace, folder));
    }
    let near = if inside { near_names(folder, &name.to_string_lossy()) } else { Vec::new() };
    if near.is_empty() {
        return format!("{path} does not exist.");
    }
    let near: Vec<_> = near.iter().map(|name| shown(workspace, &folder.join(name))).collect();
    format!("{path} does not exist. In the same folder: {}.", near.join(", "))
}

/// Up to three names of the folder that come close to `name`: nearly the same, or the same but for the ending.
fn near_names(folder: &Path, name: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.filter_map(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_lowercase();
    let folded: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let wanted = name.to_lowercase();
    let candidates: Vec<&str> = folded.iter().map(String::as_str).collect();
    let close = similar::get_close_matches(wanted.as_str(), &candidates, 3, 0.6);
    let same_stem =
        candidates.iter().copied().filter(|folded| !stem(folded).is_empty() && stem(folded) == stem(&wanted));
    let mut near: Vec<String> = Vec::new();
    for folded in close.into_iter().chain(same_stem) {
        let name = candidates.iter().position(|candidate| *candidate == folded).and_then(|at| names.get(at));
        near.extend(name.filter(|name| !near.contains(name)).cloned());
    }
    near.truncate(3);
    near
}
