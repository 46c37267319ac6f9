//! Settings: where Sayso keeps things, and `config.toml`.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;

use crate::{
    model::{Provider, practice::Practice, rig::OpenAiCompatible},
    protocol::{Settings, Validation},
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
        let path = self.config.join("config.toml");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Config::default()),
            Err(source) => return Err(ConfigError::Unreadable { path, source }),
        };
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
            ConfigError::Malformed { reason: format!("line {line}: {}", error.message()), path }
        })
    }
}

impl Config {
    /// What front ends show or obey.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings { strict_options: self.strict_options, validation: self.validation }
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
