//! One real window a test: its own display, its own WebDriver, its own home.

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use fantoccini::{
    Client, ClientBuilder, Locator,
    actions::{InputSource, KeyAction, KeyActions},
    elements::Element,
    key::Key,
};
use hyper_util::client::legacy::connect::HttpConnector;
use sayso_core::{
    log::Log,
    protocol::{OpenRequest, OutputChunk},
    store::Store,
};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// How long something may take before the test says that it never came.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(20);

/// A process that ends with the test.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        // TERM first: WebKitWebDriver takes its browser along.
        drop(Command::new("kill").arg(self.0.id().to_string()).status());
        for _ in 0..100 {
            if matches!(self.0.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(LOOK);
        }
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// The window of a home, and the store behind it.
pub(crate) struct Window {
    pub(crate) client: Client,
    pub(crate) store: Arc<Store>,
    // In this order: the driver ends before the display, both before the home goes.
    _driver: Guard,
    _display: Guard,
    home: Arc<TempDir>,
}

/// A folder for everything that a window keeps.
pub(crate) fn home() -> Arc<TempDir> {
    Arc::new(tempfile::tempdir().unwrap())
}

impl Window {
    /// A window on a new home.
    pub(crate) async fn open() -> Self {
        Self::open_on(home()).await
    }

    /// A window on this home.
    pub(crate) async fn open_on(home: Arc<TempDir>) -> Self {
        let (name, display) = display();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let driver = Guard(
            Command::new("WebKitWebDriver")
                .arg(format!("--port={port}"))
                .env("TAURI_WEBVIEW_AUTOMATION", "true")
                .env("DISPLAY", &name)
                .env("GDK_BACKEND", "x11")
                .env_remove("WAYLAND_DISPLAY")
                // With either of these a screenshot never comes.
                .env_remove("WEBKIT_DISABLE_DMABUF_RENDERER")
                .env_remove("WEBKIT_DISABLE_COMPOSITING_MODE")
                .env("NO_AT_BRIDGE", "1")
                .env("MESA_SHADER_CACHE_DISABLE", "true")
                .env("SAYSO_HOME", home.path())
                .env("XDG_DATA_HOME", home.path())
                .env("XDG_CACHE_HOME", home.path())
                .env("XDG_CONFIG_HOME", home.path())
                .stdout(Stdio::null())
                .spawn()
                .expect("WebKitWebDriver (./dev setup test installs it)"),
        );
        let options = json!({ "binary": env!("CARGO_BIN_EXE_sayso-desktop"), "args": [] });
        let capabilities: Map<String, Value> = Map::from_iter([("webkitgtk:browserOptions".into(), options)]);
        let start = Instant::now();
        let client = loop {
            let connected = ClientBuilder::new(HttpConnector::new())
                .capabilities(capabilities.clone())
                .connect(&format!("http://127.0.0.1:{port}"))
                .await;
            match connected {
                Ok(client) => break client,
                Err(error) => assert!(start.elapsed() < PATIENCE, "no window: {error}"),
            }
            tokio::time::sleep(LOOK).await;
        };
        let store = Arc::new(Store::open(home.path()).unwrap());
        let window = Self { client, store, _driver: driver, _display: display, home };
        window.ready().await;
        window
    }

    /// A window with a new session in the practice project.
    pub(crate) async fn practice() -> Self {
        let window = Self::open().await;
        window.button("Try it now").await.click().await.unwrap();
        window.see("[role=textbox], textarea").await;
        window
    }

    /// Waits until the page listens and shows what there is.
    pub(crate) async fn ready(&self) {
        self.see("html[data-ready='1']").await;
    }

    /// The element, once it is there.
    pub(crate) async fn see(&self, css: &str) -> Element {
        self.client.wait().at_most(PATIENCE).every(LOOK).for_element(Locator::Css(css)).await.unwrap_or_else(|error| {
            panic!("{css} does not come: {error}");
        })
    }

    /// The element with this text (as XPath finds it), once it is there.
    pub(crate) async fn find(&self, xpath: &str) -> Element {
        self.client.wait().at_most(PATIENCE).every(LOOK).for_element(Locator::XPath(xpath)).await.unwrap_or_else(
            |error| {
                panic!("{xpath} does not come: {error}");
            },
        )
    }

    /// The button whose text or label begins so.
    pub(crate) async fn button(&self, name: &str) -> Element {
        self.find(&format!("//button[starts-with(normalize-space(.), '{name}') or starts-with(@aria-label, '{name}')]"))
            .await
    }

    pub(crate) async fn press(&self, name: &str) {
        self.button(name).await.click().await.unwrap();
    }

    /// The question's panel, open.
    pub(crate) async fn panel(&self) -> Element {
        self.see("[role=dialog]").await
    }

    /// Waits until nothing matches.
    pub(crate) async fn gone(&self, css: &str) {
        let start = Instant::now();
        while !self.client.find_all(Locator::Css(css)).await.unwrap().is_empty() {
            assert!(start.elapsed() < PATIENCE, "{css} stays");
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Clicks the option of this label.
    pub(crate) async fn choose(&self, label: &str) {
        self.find(&format!("//*[@role='dialog']//label[.//*[normalize-space(text())='{label}']]"))
            .await
            .click()
            .await
            .unwrap();
    }

    /// Sends a message from the composer, by keyboard.
    pub(crate) async fn say(&self, text: &str) {
        let composer = self.see("textarea[aria-label=Message]").await;
        composer.click().await.unwrap();
        composer.send_keys(text).await.unwrap();
        self.keys(&[Key::Enter]).await;
    }

    pub(crate) async fn keys(&self, keys: &[Key]) {
        let mut actions = KeyActions::new("keyboard".into());
        for key in keys {
            let value: char = (*key).into();
            actions = actions.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        }
        self.client.perform_actions(actions).await.unwrap();
    }

    /// A letter with Control held down.
    pub(crate) async fn control(&self, letter: char) {
        let control: char = Key::Control.into();
        let actions = KeyActions::new("keyboard".into())
            .then(KeyAction::Down { value: control })
            .then(KeyAction::Down { value: letter })
            .then(KeyAction::Up { value: letter })
            .then(KeyAction::Up { value: control });
        self.client.perform_actions(actions).await.unwrap();
    }

    /// Presses a key until the page shows what it is for: keys are ignored for a moment after a panel appears.
    pub(crate) async fn type_until(&self, key: char, xpath: &str) {
        let start = Instant::now();
        loop {
            let actions = KeyActions::new("keyboard".into())
                .then(KeyAction::Down { value: key })
                .then(KeyAction::Up { value: key });
            self.client.perform_actions(actions).await.unwrap();
            if !self.client.find_all(Locator::XPath(xpath)).await.unwrap().is_empty() {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{xpath} does not come");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The only session there is.
    pub(crate) fn session(&self) -> String {
        self.store.sessions().unwrap().first().expect("a session").session_id.clone()
    }

    /// What waits, once something does.
    pub(crate) async fn waiting(&self) -> OpenRequest {
        let start = Instant::now();
        loop {
            if let Some(open) = self.store.open_requests(None).unwrap().into_iter().next() {
                return open;
            }
            assert!(start.elapsed() < PATIENCE, "nothing waits");
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The first thing in the session's log that `pick` takes, once it is there.
    pub(crate) async fn logged<T>(&self, pick: impl Fn(&OutputChunk) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            let mut log = Log::default();
            let chunks = self.store.catch_up(&self.session(), &mut log).unwrap();
            if let Some(found) = chunks.iter().find_map(|chunk| pick(&chunk.chunk)) {
                return found;
            }
            assert!(start.elapsed() < PATIENCE, "not in the log: {chunks:#?}");
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The result of the first call of this tool.
    pub(crate) async fn result_of(&self, name: &str) -> (bool, String) {
        self.logged(|chunk| match chunk {
            OutputChunk::ToolResult { tool, ok, text, .. } if tool == name => Some((*ok, text.clone())),
            _ => None,
        })
        .await
    }

    /// What a script of the page hands to its last argument, once it does.
    pub(crate) async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.client.execute_async(script, arguments).await.unwrap()
    }

    /// What the page says of itself.
    pub(crate) async fn eval(&self, script: &str) -> Value {
        self.client.execute(script, vec![]).await.unwrap()
    }

    /// Keeps a picture of the window in `target/tmp/window/`, for people to look at.
    pub(crate) async fn picture(&self, name: &str) {
        // The last painted frame may be older than the page: wait for two.
        let two = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))";
        self.run(two, vec![]).await;
        let png = tokio::time::timeout(PATIENCE, self.client.screenshot()).await.expect("a screenshot").unwrap();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("window");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), png).unwrap();
    }

    /// Gives the window this size.
    pub(crate) async fn size(&self, width: u32, height: u32) {
        self.client.set_window_size(width, height).await.unwrap();
        let start = Instant::now();
        while self.eval("return innerWidth").await != json!(width) {
            assert!(start.elapsed() < PATIENCE, "the window does not become {width} wide");
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Ends the program with this signal.
    pub(crate) fn signal(&self, signal: &str) {
        let programs = self.processes("sayso-desktop");
        assert_eq!(programs.len(), 1, "the program runs");
        programs.iter().for_each(|id| kill(signal, id));
    }

    /// Opens a new window on the same home, in place of one whose program has ended.
    pub(crate) async fn reopen(self) -> Self {
        let home = self.home.clone();
        drop(self);
        Self::open_on(home).await
    }

    /// Kills the process that shows the page, and waits until another one does. The driver hears no more of it.
    pub(crate) async fn kill_the_page(&self) {
        let before = self.processes("WebKitWebProcess");
        assert!(!before.is_empty(), "the page's process was not found");
        before.iter().for_each(|id| kill("-9", id));
        let start = Instant::now();
        while self.processes("WebKitWebProcess").iter().all(|id| before.contains(id)) {
            assert!(start.elapsed() < PATIENCE, "the page does not come back");
            tokio::time::sleep(LOOK).await;
        }
        assert_eq!(self.processes("sayso-desktop").len(), 1, "the program goes on");
    }

    /// The ids of this window's processes of a program.
    pub(crate) fn processes(&self, program: &str) -> Vec<String> {
        let home = format!("SAYSO_HOME={}", self.home.path().display());
        let ours = |process: &PathBuf| {
            std::fs::read_link(process.join("exe")).is_ok_and(|path| path.ends_with(program))
                && std::fs::read(process.join("environ"))
                    .is_ok_and(|all| all.split(|byte| *byte == 0).any(|pair| pair == home.as_bytes()))
        };
        let id = |process: PathBuf| Some(process.file_name()?.to_string_lossy().into_owned());
        processes().filter(ours).filter_map(id).collect()
    }
}

fn kill(signal: &str, id: &str) {
    assert!(Command::new("kill").args([signal, id]).status().unwrap().success());
}

/// The folders of all processes.
fn processes() -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir("/proc").unwrap().flatten().map(|process| process.path())
}

/// Whether a process works in this folder.
pub(crate) fn works_in(folder: &Path) -> bool {
    processes().any(|process| std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder))
}

/// A display of its own; Xvfb picks a free number itself and prints it.
fn display() -> (String, Guard) {
    let mut server = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Xvfb (./dev setup test installs it)");
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (format!(":{}", line.trim()), Guard(server))
}
