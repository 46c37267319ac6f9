//! The desktop shell: the only Rust that knows Tauri. It starts the window, hands the page's commands to the core, and
//! passes on what the core says.

pub mod agent;
pub mod bridge;
pub mod commands;

use std::path::Path;

use agent::Agent;
use tauri::{Manager, Runtime, WebviewWindowBuilder};

/// Every command and event the page has, in one list for both runtimes: `collect_commands!` cannot name an outer
/// generic.
macro_rules! bindings {
    ($runtime:ty) => {
        tauri_specta::Builder::<$runtime>::new()
            .disable_serde_phases()
            .dangerously_cast_bigints_to_number()
            .error_handling(tauri_specta::ErrorHandlingMode::Throw)
            .commands(tauri_specta::collect_commands![
                $crate::commands::follow,
                $crate::commands::snapshot,
                $crate::commands::sessions,
                $crate::commands::inbox,
                $crate::commands::start_session,
                $crate::commands::send_message,
                $crate::commands::send_question_response,
                $crate::commands::interrupt_agent,
                $crate::commands::save_draft,
                $crate::commands::resume_turn,
            ])
            .events(tauri_specta::collect_events![$crate::bridge::AskUserQuestion])
    };
}

/// Writes the page's side of the commands and events as TypeScript.
///
/// # Errors
/// When a type or the file cannot be written.
pub fn write_typescript(file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    Ok(bindings!(tauri::Wry).export(specta_typescript::Typescript::default(), file)?)
}

/// Adds the commands and the agent to an app on a runtime without windows.
pub fn test_builder(
    app: tauri::Builder<tauri::test::MockRuntime>,
    agent: Agent,
) -> tauri::Builder<tauri::test::MockRuntime> {
    builder(app, bindings!(tauri::test::MockRuntime), agent)
}

/// Adds the commands and the agent to an app.
fn builder<R: Runtime>(app: tauri::Builder<R>, bindings: tauri_specta::Builder<R>, agent: Agent) -> tauri::Builder<R> {
    app.invoke_handler(bindings.invoke_handler()).manage(agent).setup(move |app| {
        bindings.mount_events(app);
        bridge::start(app.handle().clone());
        Ok(())
    })
}

/// Opens the window and stays until it is closed.
///
/// # Errors
/// When there is no display or Tauri cannot start.
pub fn run() -> tauri::Result<()> {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("SAYSO_LOG"))
        .with_writer(std::io::stderr)
        .init();
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, _args, _folder| {
            if let Some(window) = app.get_webview_window("main") {
                drop(window.unminimize());
                drop(window.set_focus());
            }
        }))
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init());
    let app = builder(app, bindings!(tauri::Wry), Agent::open()).build(tauri::generate_context!())?;
    for window in &app.config().app.windows {
        WebviewWindowBuilder::from_config(app.handle(), window)?
            .on_document_title_changed(|window, title| drop(window.set_title(&title)))
            .build()?;
    }
    app.run(|_app, _event| {});
    Ok(())
}
