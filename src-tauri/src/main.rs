//! The desktop program.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    match sayso_desktop::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!(
                "sayso: the window could not be opened: {error}. Check that there is a display; `sayso run` works without one."
            );
            ExitCode::FAILURE
        }
    }
}
