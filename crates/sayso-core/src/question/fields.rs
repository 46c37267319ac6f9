//! Reads the fields of a JSON object that a model or a tool wrote, and notes what is wrong with them by their path.
//! `null` counts as absent: models send it for what they leave out.

use serde_json::{Map, Value};

/// One object with its place in the call.
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    /// The fields of `value`; a fault where it is no object.
    pub(super) fn of(value: &'a Value, path: impl Into<String>, faults: &mut Vec<String>) -> Option<Self> {
        let path = path.into();
        let Some(object) = value.as_object() else {
            let what = if path.is_empty() { "The input" } else { &path };
            faults.push(format!("{what} must be an object, not {}.", kind(value)));
            return None;
        };
        Some(Self { object, path })
    }

    /// Names of all fields.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a String> {
        self.object.keys()
    }

    /// A field as it is.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// Text that must be there and must say something.
    pub(super) fn text(&self, name: &str, faults: &mut Vec<String>) -> Option<&'a str> {
        let text = self.required(name, self.optional_text(name, faults), faults)?;
        if text.trim().is_empty() {
            faults.push(format!("{} must not be empty.", self.at(name)));
            return None;
        }
        Some(text)
    }

    /// Text that may be left out.
    pub(super) fn optional_text(&self, name: &str, faults: &mut Vec<String>) -> Option<&'a str> {
        self.typed(name, "text", Value::as_str, faults)
    }

    /// A flag that may be left out.
    pub(super) fn optional_flag(&self, name: &str, faults: &mut Vec<String>) -> Option<bool> {
        self.typed(name, "true or false", Value::as_bool, faults)
    }

    /// A list that must be there.
    pub(super) fn list(&self, name: &str, faults: &mut Vec<String>) -> Option<&'a [Value]> {
        self.required(name, self.optional_list(name, faults), faults)
    }

    /// A list that may be left out.
    pub(super) fn optional_list(&self, name: &str, faults: &mut Vec<String>) -> Option<&'a [Value]> {
        self.typed(name, "a list", |value| value.as_array().map(Vec::as_slice), faults)
    }

    /// The path of a field.
    pub(super) fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn required<T>(&self, name: &str, read: Option<T>, faults: &mut Vec<String>) -> Option<T> {
        if self.get(name).is_none() {
            faults.push(format!("{} is missing.", self.at(name)));
        }
        read
    }

    fn typed<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
        faults: &mut Vec<String>,
    ) -> Option<T> {
        let value = self.get(name)?;
        let read = read(value);
        if read.is_none() {
            faults.push(format!("{} must be {expected}, not {}.", self.at(name), kind(value)));
        }
        read
    }
}

/// What a value is, in words.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
