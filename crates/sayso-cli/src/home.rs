//! Where this environment keeps things.

use std::sync::Arc;

use anyhow::Result;
use sayso_core::{config::Folders, store::Store};

/// The store of this environment.
pub(crate) fn store() -> Result<(Folders, Arc<Store>)> {
    let folders = Folders::find()?;
    let store = Arc::new(Store::open(&folders.data)?);
    Ok((folders, store))
}
