//! Settings: where Sayso keeps things, and `config.toml`.

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use tempfile::NamedTempFile;
use toml_edit::{DocumentMut, Item, TableLike};

use crate::{
    model::{Provider, practice::Practice, rig::OpenAiCompatible},
    protocol::{Settings, Validation, WindowSettings},
};

/// The folders that Sayso uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The store: `$SAYSO_HOME`, else `sayso` in the system's data directory.
    pub data: PathBuf,
    /// `config.toml`: `$SAYSO_HOME`, else `sayso` in the system's configuration directory.
    pub config: PathBuf,
    /// Practice projects: `$SAYSO_HOME/practice`, else `sayso-practice` in the user's documents, where there are any.
    pub practice: PathBuf,
}

/// `config.toml`. Unknown keys are refused, so that a misspelt one is noticed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The model: `practice`, `practice:FILE` or `openai:NAME`.
    pub model: Option<String>,
    /// Where an OpenAI-compatible server is reached.
    pub base_url: Option<String>,
    /// `AskUserQuestion` offers its options only.
    #[serde(default)]
    pub strict_options: bool,
    /// `strict`, or `lenient` for weak local models.
    #[serde(default)]
    pub validation: Validation,
    /// How the window looks and behaves.
    #[serde(default)]
    pub window: WindowSettings,
}

/// What is wrong with the settings, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The system names no folder for programs' data.
    #[error("this system names no folder for programs' data. Set SAYSO_HOME to a folder of your choice.")]
    NoFolder,
    /// The file cannot be read.
    #[error("cannot read {path}: {source}. Check its permissions.", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not as it should be.
    #[error("{path} cannot be used: {reason}. Mend that line, or move the file away to start with none.", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What and where.
        reason: String,
    },
    /// The file cannot be written.
    #[error("cannot write {path}: {source}. Check its permissions and free space; the settings are as they were.", path = path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A setting is out of its range.
    #[error("{0}")]
    OutOfRange(String),
    /// Nobody knows this model.
    #[error(
        "there is no model '{0}'. Use practice, practice:FILE or openai:NAME (with --base-url for a server of your own)."
    )]
    NoModel(String),
    /// The model cannot be used as it is.
    #[error("{0}")]
    Model(String),
}

impl Folders {
    /// The folders of this environment.
    ///
    /// # Errors
    /// When neither `SAYSO_HOME` nor the system names one.
    pub fn find() -> Result<Self, ConfigError> {
        if let Some(home) = env::var_os("SAYSO_HOME").filter(|home| !home.is_empty()) {
            return Ok(Self::in_one(Path::new(&home)));
        }
        let data = dirs::data_dir().ok_or(ConfigError::NoFolder)?.join("sayso");
        let config = dirs::config_dir().ok_or(ConfigError::NoFolder)?.join("sayso");
        let practice = match dirs::document_dir().filter(|folder| folder.is_dir()) {
            Some(documents) => documents.join("sayso-practice"),
            None => data.join("practice"),
        };
        Ok(Self { data, config, practice })
    }

    /// Everything in one folder.
    #[must_use]
    pub fn in_one(home: &Path) -> Self {
        Self { data: home.into(), config: home.into(), practice: home.join("practice") }
    }

    /// Reads `config.toml`; none is the same as an empty one.
    ///
    /// # Errors
    /// When it cannot be read or is not as it should be: file, line and reason.
    pub fn config(&self) -> Result<Config, ConfigError> {
        let text = self.read()?;
        let malformed = |reason| ConfigError::Malformed { path: self.file(), reason };
        let config: Config = toml_edit::de::from_str(&text).map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
            malformed(format!("line {line}: {}", error.message()))
        })?;
        check(&config.window).map_err(malformed)?;
        Ok(config)
    }

    /// Keeps these settings in `config.toml`, beside what else stands there: comments and order stay, and what is as it
    /// would be anyway is not added.
    ///
    /// # Errors
    /// When a setting is out of its range, the file is not as it should be, or it cannot be written; then nothing has
    /// changed.
    pub fn save(&self, settings: &Settings) -> Result<(), ConfigError> {
        check(&settings.window).map_err(ConfigError::OutOfRange)?;
        self.config()?;
        let malformed =
            |error: &dyn std::fmt::Display| ConfigError::Malformed { path: self.file(), reason: error.to_string() };
        let mut document: DocumentMut = self.read()?.parse().map_err(|error| malformed(&error))?;
        let wanted = toml_edit::ser::to_document(settings).map_err(|error| malformed(&error))?;
        let usual = toml_edit::ser::to_document(&Settings::default()).map_err(|error| malformed(&error))?;
        update(document.as_table_mut(), wanted.as_table(), usual.as_table());
        let path = self.file();
        let write = || -> io::Result<()> {
            fs::create_dir_all(&self.config)?;
            let mut file = NamedTempFile::new_in(&self.config)?;
            file.write_all(document.to_string().as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|source| ConfigError::Unwritable { path: path.clone(), source })
    }

    fn file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    fn read(&self) -> Result<String, ConfigError> {
        let path = self.file();
        match fs::read_to_string(&path) {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(source) => Err(ConfigError::Unreadable { path, source }),
        }
    }
}

/// Where a number has a range, it is in it.
fn check(window: &WindowSettings) -> Result<(), String> {
    let numbers = [("text_size", window.text_size, 80..=200), ("guard_ms", window.guard_ms, 200..=5000)];
    for (name, value, range) in numbers {
        if !range.contains(&value) {
            return Err(format!("window.{name} is {value}; it can be {} to {}", range.start(), range.end()));
        }
    }
    Ok(())
}

/// Writes what is wanted over what is there; what is not there and is as usual stays away.
fn update(table: &mut dyn TableLike, wanted: &dyn TableLike, usual: &dyn TableLike) {
    for (key, item) in wanted.iter() {
        let as_usual = usual.get(key).is_some_and(|usual| usual.to_string() == item.to_string());
        if as_usual && !table.contains_key(key) {
            continue;
        }
        if let (Some(wanted), Some(usual)) = (item.as_table_like(), usual.get(key).and_then(Item::as_table_like)) {
            if let Some(inner) = table.entry(key).or_insert_with(toml_edit::table).as_table_like_mut() {
                update(inner, wanted, usual);
            }
        } else if let (Some(there), Some(value)) = (table.get_mut(key).and_then(Item::as_value_mut), item.as_value()) {
            let decor = there.decor().clone();
            *there = value.clone();
            *there.decor_mut() = decor;
        } else {
            table.insert(key, item.clone());
        }
    }
}

impl Config {
    /// What front ends show or obey.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let Self { strict_options, validation, window, .. } = self.clone();
        Settings { strict_options, validation, window }
    }

    /// The model to use where none was named.
    #[must_use]
    pub fn default_model(&self) -> &str {
        self.model.as_deref().unwrap_or("practice")
    }
}

/// The model of this name, ready to answer. The key comes from `OPENAI_API_KEY`.
///
/// # Errors
/// When nobody knows the name, the script cannot be played, or a key is missing.
pub fn provider(model: &str, base_url: Option<&str>) -> Result<Arc<dyn Provider>, ConfigError> {
    match model.split_once(':') {
        None if model == "practice" => Ok(Arc::new(Practice::built_in())),
        Some(("practice", file)) => {
            let script = Practice::load(Path::new(file))
                .map_err(|error| ConfigError::Model(format!("{error}. {}", error.remedy())))?;
            Ok(Arc::new(script))
        }
        Some(("openai", name)) if !name.is_empty() => {
            let key = env::var("OPENAI_API_KEY").ok().filter(|key| !key.is_empty());
            let provider = OpenAiCompatible::new(name.into(), base_url.map(Into::into), key)
                .map_err(|error| ConfigError::Model(format!("{error}. {}", error.remedy())))?;
            Ok(Arc::new(provider))
        }
        _ => Err(ConfigError::NoModel(model.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{PanelSide, Theme};

    const WRITTEN: &str = "# mine\nmodel = \"practice\"\n\n# only what is listed\nstrict_options = true # for now\n\n\
                           [window]\n# easy on the eyes\ntheme = \"dark\"\n";

    #[test]
    fn saving_keeps_what_a_person_wrote_and_adds_only_what_differs() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::in_one(home.path());
        fs::write(home.path().join("config.toml"), WRITTEN).unwrap();
        let mut settings = folders.config().unwrap().settings();
        assert_eq!((settings.strict_options, settings.window.theme), (true, Theme::Dark));
        settings.strict_options = false;
        settings.window.theme = Theme::Light;
        settings.window.guard_ms = 800;
        folders.save(&settings).unwrap();
        let expected =
            WRITTEN.replace("true # for now", "false # for now").replace("dark", "light") + "guard_ms = 800\n";
        assert_eq!(fs::read_to_string(home.path().join("config.toml")).unwrap(), expected);
        assert_eq!(folders.config().unwrap().settings(), settings);
        assert_eq!(folders.config().unwrap().default_model(), "practice");
    }

    #[test]
    fn the_first_setting_makes_the_file() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::in_one(&home.path().join("not/yet"));
        folders.save(&Settings::default()).unwrap();
        assert_eq!(fs::read_to_string(folders.file()).unwrap(), "");
        let window = WindowSettings { panel_side: PanelSide::Left, ..WindowSettings::default() };
        folders.save(&Settings { window, ..Settings::default() }).unwrap();
        assert_eq!(fs::read_to_string(folders.file()).unwrap(), "[window]\npanel_side = \"left\"\n");
    }

    #[test]
    fn a_setting_that_cannot_hold_is_refused_and_nothing_changes() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::in_one(home.path());
        let window = WindowSettings { guard_ms: 10, ..WindowSettings::default() };
        let refused = folders.save(&Settings { window, ..Settings::default() }).unwrap_err().to_string();
        assert_eq!(refused, "window.guard_ms is 10; it can be 200 to 5000");
        assert!(!folders.file().exists());
        for (wrong, reason) in [
            ("[window]\ntext_size = 300\n", "window.text_size is 300; it can be 80 to 200"),
            ("[window]\n\ncolour = \"red\"\n", "line 3: unknown field `colour`"),
            ("strict_options = \"yes\"\n", "line 1: invalid type: string \"yes\""),
            ("strict = [\n", "line"),
        ] {
            fs::write(folders.file(), wrong).unwrap();
            let read = folders.config().unwrap_err().to_string();
            assert!(read.contains(reason), "{read}");
            assert_eq!(folders.save(&Settings::default()).unwrap_err().to_string(), read);
            assert_eq!(fs::read_to_string(folders.file()).unwrap(), wrong);
        }
    }
}
