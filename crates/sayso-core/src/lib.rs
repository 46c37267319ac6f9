//! The agent of Sayso. Everything that needs a person is a question, and a question is a stored record before it is a
//! window; the next step is computed from the log. No front end is known here.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod answer;
pub mod config;
pub mod gate;
pub mod inbox;
pub mod log;
pub mod model;
pub mod protocol;
pub mod question;
pub mod session;
pub mod store;
pub mod tool;
mod turn;
