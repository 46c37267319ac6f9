//! Reading a call's arguments into the tool's own type; what does not fit becomes a sentence a model can act on.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The arguments of a call; `example` is a right call, quoted in the error.
pub(super) fn arguments<T: DeserializeOwned>(tool: &str, example: &str, input: &Value) -> Result<T, String> {
    if !input.is_object() {
        return Err(format!("{tool}: the arguments are not a JSON object. Call it like {example}"));
    }
    T::deserialize(input).map_err(|error| format!("{tool}: {error}. Call it like {example}"))
}
