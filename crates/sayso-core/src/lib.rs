//! The agent of Sayso. Everything that needs a person is a question, and a question is a stored record before it is a
//! window; the next step is computed from the log. No front end is known here.

pub mod model;
pub mod protocol;
pub mod question;
pub mod tool;
