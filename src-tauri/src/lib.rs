//! The desktop shell: the only Rust that knows Tauri. It starts the window, hands the page's commands to the core, and
//! passes on what the core says.

pub mod agent;
pub mod bridge;
pub mod commands;

use std::path::Path;

use agent::Agent;
use sayso_core::protocol::{InputMessage, ToolResult};
use tauri::{Manager, Runtime, WebviewWindowBuilder};

/// Every command and event the page has, on the real runtime or on a test's.
fn bindings<R: Runtime>() -> tauri_specta::Builder<R> {
    tauri_specta::Builder::<R>::new()
        .disable_serde_phases()
        .dangerously_cast_bigints_to_number()
        .error_handling(tauri_specta::ErrorHandlingMode::Throw)
        .commands(tauri_specta::collect_commands![
            commands::follow,
            commands::snapshot,
            commands::sessions,
            commands::inbox,
            commands::start_session,
            commands::send_message,
            commands::send_question_response,
            commands::interrupt_agent,
            commands::save_draft,
            commands::resume_turn,
            commands::settings,
            commands::save_settings,
        ])
        .events(tauri_specta::collect_events![bridge::AskUserQuestion])
        // Wire data that no command carries as such: other programs send and read it.
        .typ::<InputMessage>()
        .typ::<ToolResult>()
}

/// Writes the page's side of the commands and events as TypeScript.
///
/// # Errors
/// When a type or the file cannot be written.
pub fn write_typescript(file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    Ok(bindings::<tauri::Wry>().export(specta_typescript::Typescript::default(), file)?)
}

/// An app with the commands and the agent, which passes on what the agent says; it has no window yet.
///
/// # Errors
/// When Tauri cannot start.
pub fn build<R: Runtime>(
    app: tauri::Builder<R>,
    agent: Agent,
    context: tauri::Context<R>,
) -> tauri::Result<tauri::App<R>> {
    let bindings = bindings();
    let app = app.invoke_handler(bindings.invoke_handler()).manage(agent).build(context)?;
    bindings.mount_events(&app);
    bridge::start(app.handle().clone());
    Ok(app)
}

/// Loads the page again when the process that shows it has ended, by a crash or for want of memory: all that it showed
/// is in the store. One that ends again at once stays down.
#[cfg(target_os = "linux")]
fn survive_the_page(window: &tauri::WebviewWindow) -> tauri::Result<()> {
    use std::{
        cell::Cell,
        time::{Duration, Instant},
    };
    use webkit2gtk::WebViewExt;

    window.with_webview(|page| {
        let loaded = Cell::new(None::<Instant>);
        page.inner().connect_web_process_terminated(move |page, reason| {
            tracing::error!("the page's process ended: {reason:?}");
            if loaded.get().is_none_or(|at| at.elapsed() > Duration::from_secs(5)) {
                loaded.set(Some(Instant::now()));
                page.reload();
            }
        });
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
    let app = build(app, Agent::open(), tauri::generate_context!())?;
    for window in &app.config().app.windows {
        let window = WebviewWindowBuilder::from_config(app.handle(), window)?
            .on_document_title_changed(|window, title| drop(window.set_title(&title)))
            .build()?;
        #[cfg(target_os = "linux")]
        survive_the_page(&window)?;
    }
    #[cfg(unix)]
    tauri::async_runtime::spawn(exit_when_told(app.handle().clone()));
    app.run(|app, event| {
        if let tauri::RunEvent::Exit = event {
            tauri::async_runtime::block_on(app.state::<Agent>().close());
        }
    });
    Ok(())
}

/// SIGTERM, SIGINT and SIGHUP close the window as a person would, so that what the agent started ends with it.
#[cfg(unix)]
async fn exit_when_told(app: tauri::AppHandle) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
    }
    app.exit(0);
    Ok(())
}
