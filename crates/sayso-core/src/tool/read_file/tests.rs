use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;

/// A workspace with these files.
fn workspace(files: &[(&str, &[u8])]) -> (TempDir, ToolContext) {
    let folder = TempDir::new().unwrap();
    let workspace = fs::canonicalize(folder.path()).unwrap();
    for (path, bytes) in files {
        let file = workspace.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    (folder, ToolContext { workspace, cancel: CancellationToken::new() })
}

async fn read(context: &ToolContext, input: Value) -> ToolResult {
    match ReadFile.run(&input, None, context).await {
        ToolOutcome::Done(result) => result,
        ToolOutcome::NeedsInput(_) => panic!("read_file asks nothing"),
    }
}

#[tokio::test]
async fn a_file_comes_back_numbered_line_by_line() {
    let (_folder, context) = workspace(&[("a.txt", b"one\n\n\tthree")]);
    let result = read(&context, json!({"path": "a.txt"})).await;
    assert_eq!(result, ToolResult::ok("     1\tone\n     2\t\n     3\t\tthree"));
}

#[tokio::test]
async fn a_range_of_lines_says_where_it_goes_on() {
    let (_folder, context) = workspace(&[("a.txt", b"1\n2\n3\n4\n5\n")]);
    let middle = read(&context, json!({"path": "./a.txt", "offset": 2, "limit": 2})).await;
    assert_eq!(middle, ToolResult::ok("     2\t2\n     3\t3\n[lines 2-3 of 5; go on with offset 4]"));
    let end = read(&context, json!({"path": "a.txt", "offset": 4})).await;
    assert_eq!(end, ToolResult::ok("     4\t4\n     5\t5"));
    let past = read(&context, json!({"path": "a.txt", "offset": 6})).await;
    assert_eq!(past, ToolResult::error("a.txt has 5 lines; line 6 is past its end."));
    let zero = read(&context, json!({"path": "a.txt", "offset": 0})).await;
    assert_eq!(zero, ToolResult::error("read_file: offset counts from 1, and limit is at least 1."));
}

#[tokio::test]
async fn a_long_file_stops_at_2000_lines_and_says_so() {
    let (_folder, context) = workspace(&[("a.txt", "x\n".repeat(5321).as_bytes())]);
    for input in [json!({"path": "a.txt"}), json!({"path": "a.txt", "limit": 5000})] {
        let result = read(&context, input).await;
        assert!(result.text.ends_with("  2000\tx\n[lines 1-2000 of 5321; go on with offset 2001]"));
    }
}

#[tokio::test]
async fn long_lines_stop_at_256_kib_and_are_cut_only_where_nothing_else_fits() {
    let line = "é".repeat(60_000);
    let longest = "é".repeat(200_000);
    let text = format!("{line}\n{line}\n{line}\n{longest}\n{line}\n");
    let (_folder, context) = workspace(&[("a.txt", text.as_bytes())]);
    let result = read(&context, json!({"path": "a.txt"})).await;
    assert!(result.text.len() < MOST_BYTES + 200);
    assert!(result.text.ends_with("[lines 1-2 of 5; go on with offset 3]"));
    let result = read(&context, json!({"path": "a.txt", "offset": 4})).await;
    assert!(result.text.len() < MOST_BYTES + 200);
    let shown = result.text.matches('é').count();
    let notes = format!(
        "[line 4 is longer than 256 KiB: {} characters of it are left out]\n[lines 4-4 of 5; go on with offset 5]",
        200_000 - shown
    );
    assert!(result.text.ends_with(&notes), "{}", &result.text[result.text.len() - 150..]);
}

#[tokio::test]
async fn empty_binary_damaged_and_windows_files_are_told_as_what_they_are() {
    let (_folder, context) = workspace(&[
        ("empty", b""),
        ("picture.png", b"\x89PNG\0\0"),
        ("latin.txt", b"caf\xe9\n"),
        ("windows.txt", b"\xef\xbb\xbfone\r\ntwo\r\n"),
    ]);
    assert_eq!(read(&context, json!({"path": "empty"})).await, ToolResult::ok("[the file is empty]"));
    assert_eq!(
        read(&context, json!({"path": "picture.png"})).await,
        ToolResult::error("picture.png is a binary file (6 bytes); there is no text to read in it.")
    );
    assert_eq!(
        read(&context, json!({"path": "latin.txt"})).await,
        ToolResult::ok("     1\tcaf\u{fffd}\n[not all of it is UTF-8: what could not be read is shown as \u{fffd}]")
    );
    assert_eq!(read(&context, json!({"path": "windows.txt"})).await, ToolResult::ok("     1\tone\n     2\ttwo"));
}

#[tokio::test]
async fn a_missing_file_names_what_comes_close() {
    let (_folder, context) = workspace(&[("src/calc.js", b""), ("src/notes.md", b""), ("src/Main.rs", b"")]);
    for (path, wanted) in [
        ("src/clac.js", "src/clac.js does not exist. In the same folder: src/calc.js."),
        ("src/calc.ts", "src/calc.ts does not exist. In the same folder: src/calc.js."),
        ("src/main.rs", "src/main.rs does not exist. In the same folder: src/Main.rs."),
        ("src/zzzzzzzz", "src/zzzzzzzz does not exist."),
        ("lib/calc.js", "lib/calc.js does not exist; there is no folder lib either."),
        ("src/calc.js/x", "src/calc.js/x does not exist; there is no folder src/calc.js either."),
        ("src", "src is a folder, not a file. Name a file in it."),
        (".", ". is a folder, not a file. Name a file in it."),
        ("", "the path is empty. Name a file, relative to the workspace."),
    ] {
        assert_eq!(read(&context, json!({"path": path})).await, ToolResult::error(wanted));
    }
}

#[tokio::test]
async fn a_path_that_leaves_the_workspace_is_refused_by_name() {
    let (_folder, context) = workspace(&[("a/b.txt", b"in")]);
    let inside = context.workspace.join("a/../a/b.txt");
    assert!(read(&context, json!({"path": inside})).await.ok);
    for path in ["../secret", "a/../../secret", "/etc/hostname"] {
        let wanted = format!("{path} is outside the workspace; only files inside it can be used.");
        assert_eq!(read(&context, json!({"path": path})).await, ToolResult::error(wanted));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_followed_inside_the_workspace_and_not_out_of_it() {
    use std::os::unix::fs::symlink;
    let (_outside, outside) = workspace(&[("secret", b"out"), ("secrets/key", b"out")]);
    let (_folder, context) = workspace(&[("a.txt", b"in")]);
    symlink("a.txt", context.workspace.join("inside")).unwrap();
    symlink(outside.workspace.join("secret"), context.workspace.join("file")).unwrap();
    symlink(&outside.workspace, context.workspace.join("folder")).unwrap();
    symlink("nothing", context.workspace.join("dangling")).unwrap();
    assert_eq!(read(&context, json!({"path": "inside"})).await, ToolResult::ok("     1\tin"));
    for path in ["file", "folder/secret", "folder/secrets/key"] {
        let wanted = format!("{path} leads out of the workspace through a link; only files inside it can be used.");
        assert_eq!(read(&context, json!({"path": path})).await, ToolResult::error(wanted));
    }
    let beside = read(&context, json!({"path": "folder/secre"})).await;
    assert_eq!(beside, ToolResult::error("folder/secre does not exist."), "no name of another folder is told");
    let dangling = read(&context, json!({"path": "dangling"})).await;
    assert_eq!(dangling, ToolResult::error("dangling is a link to something that does not exist."));
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_is_refused_and_not_waited_for() {
    let (_folder, context) = workspace(&[]);
    let made = std::process::Command::new("mkfifo").arg(context.workspace.join("pipe")).status().unwrap();
    assert!(made.success());
    let result = read(&context, json!({"path": "pipe"})).await;
    assert_eq!(result, ToolResult::error("pipe is no regular file (a device, a pipe or a socket)."));
}

#[tokio::test]
async fn a_bad_call_is_told_in_a_sentence_with_an_example() {
    let (_folder, context) = workspace(&[]);
    for (input, wanted) in [
        (
            json!({"file": "a"}),
            "read_file: unknown field `file`, expected one of `path`, `offset`, `limit`. Call it like {",
        ),
        (json!({}), "read_file: missing field `path`. Call it like {"),
        (json!({"path": "a", "offset": "x"}), "read_file: invalid type: string \"x\", expected usize. Call it like {"),
        (json!("{path: a"), "read_file: the arguments are not a JSON object. Call it like {"),
    ] {
        let result = read(&context, input.clone()).await;
        assert!(!result.ok && result.text.starts_with(wanted), "{}", result.text);
        assert_eq!(ReadFile.actions(&input, &context), Err(result.text));
    }
}

#[test]
fn the_action_is_reading_the_path_as_it_was_given() {
    let (_folder, context) = workspace(&[]);
    let actions = ReadFile.actions(&json!({"path": "../a"}), &context);
    assert_eq!(actions, Ok(vec![Action::Read { path: "../a".to_owned() }]));
    assert!(ReadFile.read_only());
}
