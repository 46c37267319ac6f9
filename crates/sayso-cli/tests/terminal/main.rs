//! The program as people and scripts use it: real processes, real signals, a real terminal. Each test has a home of its
//! own; nothing sleeps, everything waits for what it needs.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../../../../tests/aimock/server.rs"]
mod aimock;
mod program;

mod answering;
mod ask;
mod faults;
mod json;
mod lists;
mod model;
mod output;
mod person;
mod pipe;
mod stopping;
mod survival;
