use std::path::Path;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;

/// A workspace with one file, `a.txt`.
fn workspace(text: impl AsRef<[u8]>) -> (TempDir, ToolContext) {
    let folder = TempDir::new().unwrap();
    let workspace = fs::canonicalize(folder.path()).unwrap();
    fs::write(workspace.join("a.txt"), text).unwrap();
    (folder, ToolContext { workspace, cancel: CancellationToken::new() })
}

async fn run(context: &ToolContext, input: Value) -> ToolResult {
    match EditFile.run(&input, None, context).await {
        ToolOutcome::Done(result) => result,
        ToolOutcome::NeedsInput(_) => panic!("edit_file asks nothing"),
    }
}

async fn edit(context: &ToolContext, old: &str, new: &str) -> ToolResult {
    run(context, json!({"path": "a.txt", "old_text": old, "new_text": new})).await
}

fn text(context: &ToolContext) -> String {
    fs::read_to_string(context.workspace.join("a.txt")).unwrap()
}

/// The names in a folder: no temporary file may stay behind.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn the_one_place_that_fits_is_replaced() {
    let (_folder, context) = workspace("one\ntwo\nthree\n");
    let result = edit(&context, "two\n", "2\n2.5\n").await;
    assert_eq!(result, ToolResult::ok("Edited a.txt: +2 -1 lines."));
    assert_eq!(text(&context), "one\n2\n2.5\nthree\n");
    assert_eq!(names(&context.workspace), ["a.txt"]);
    assert_eq!(edit(&context, "2.5\n", "").await, ToolResult::ok("Edited a.txt: +0 -1 lines."));
}

#[test]
fn the_action_shows_the_change_as_a_diff_and_touches_nothing() {
    let (_folder, context) = workspace("one\r\ntwo\r\nthree");
    let input = json!({"path": "./a.txt", "old_text": "two\n", "new_text": "2\n"});
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n";
    let wanted = Action::Write { path: "./a.txt".to_owned(), diff: diff.to_owned() };
    assert_eq!(EditFile.actions(&input, &context), Ok(vec![wanted]));
    assert_eq!(text(&context), "one\r\ntwo\r\nthree");
    assert!(!EditFile.read_only());
}

#[tokio::test]
async fn line_endings_and_the_byte_order_mark_stay_as_they_are() {
    let (_folder, context) = workspace("\u{feff}one\r\ntwo\r\nthree\r\n");
    assert!(edit(&context, "one\ntwo", "1\n2\n2.5").await.ok);
    assert_eq!(text(&context), "\u{feff}1\r\n2\r\n2.5\r\nthree\r\n");
    assert!(edit(&context, "2.5\r\nthree\r\n", "3\n").await.ok);
    assert_eq!(text(&context), "\u{feff}1\r\n2\r\n3\r\n");
}

#[tokio::test]
async fn mixed_line_endings_change_only_where_the_edit_is() {
    let (_folder, context) = workspace("a\r\nb\nc\r\nd\ne");
    assert!(edit(&context, "b\nc", "x\ny").await.ok);
    assert_eq!(text(&context), "a\r\nx\ny\r\nd\ne");
    assert!(edit(&context, "e", "e\nf\n").await.ok);
    assert_eq!(text(&context), "a\r\nx\ny\r\nd\ne\r\nf\r\n", "a place without a line break takes the file's first");
}

#[tokio::test]
async fn text_that_fits_several_places_is_refused_with_their_lines() {
    let (_folder, context) = workspace("x\ny\nx\naaa\n");
    assert_eq!(
        edit(&context, "x\n", "z\n").await,
        ToolResult::error(
            "old_text is in a.txt 2 times (lines 1, 3); nothing was changed. Add neighbouring lines so that it fits one place."
        )
    );
    let overlapping = edit(&context, "aa", "b").await;
    assert!(overlapping.text.contains("2 times (lines 4, 4)"), "{}", overlapping.text);
    assert_eq!(text(&context), "x\ny\nx\naaa\n");
}

#[tokio::test]
async fn text_that_is_not_there_is_told_with_where_to_look() {
    let (_folder, context) = workspace("fn main() {\n    let total = 1;\n\tdone(total);\n}\n");
    for (old, new, wanted) in [
        ("   let total  = 1;\n  done(total);", "x", "Line 2 differs only in white space: indentation counts."),
        ("let totale = 1;", "x", "The closest line is 2: read the file again there."),
        ("let sum = 2;", "let total = 1;", "new_text is there already, at line 2."),
        ("     2\tlet total = 1;", "x", "Leave out the line numbers that read_file prints: they are not in the file."),
        ("qqqqqqqq", "x", "Nothing in it comes close: read the file again."),
        ("\n\n\n", "x", "old_text was not found in a.txt; nothing was changed."),
    ] {
        let result = edit(&context, old, new).await;
        assert!(!result.ok && result.text.starts_with("old_text was not found in a.txt; nothing was changed."));
        assert!(result.text.ends_with(wanted), "{}", result.text);
    }
}

#[tokio::test]
async fn an_edit_that_says_nothing_is_refused() {
    let (_folder, context) = workspace("one\n");
    let empty = edit(&context, "", "two").await;
    assert!(empty.text.starts_with("old_text is empty, so it names no place in a.txt."), "{}", empty.text);
    let same = edit(&context, "one", "one").await;
    assert_eq!(same, ToolResult::error("old_text and new_text are the same; nothing would change."));
    let missing = run(&context, json!({"path": "b.txt", "old_text": "", "new_text": "new"})).await;
    assert_eq!(
        missing,
        ToolResult::error("b.txt does not exist. In the same folder: a.txt. edit_file changes existing files only.")
    );
    let bad = run(&context, json!({"path": "a.txt", "old": "one", "new": "two"})).await;
    assert!(bad.text.starts_with("edit_file: unknown field `old`, expected one of"), "{}", bad.text);
}

#[tokio::test]
async fn a_file_that_is_no_utf_8_is_left_alone() {
    let (_folder, context) = workspace(b"caf\xe9 one");
    let result = edit(&context, "one", "two").await;
    assert!(!result.ok && result.text.contains("is not UTF-8 text"), "{}", result.text);
    assert_eq!(fs::read(context.workspace.join("a.txt")).unwrap(), b"caf\xe9 one");
}

#[tokio::test]
async fn a_path_out_of_the_workspace_is_refused() {
    let (_folder, context) = workspace("");
    let result = run(&context, json!({"path": "../a.txt", "old_text": "x", "new_text": "y"})).await;
    assert_eq!(result, ToolResult::error("../a.txt is outside the workspace; only files inside it can be used."));
}

#[cfg(unix)]
#[tokio::test]
async fn the_mode_stays_and_a_link_keeps_pointing() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (_folder, context) = workspace("one\n");
    let target = context.workspace.join("a.txt");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o754)).unwrap();
    fs::create_dir(context.workspace.join("sub")).unwrap();
    let link = context.workspace.join("sub/link");
    symlink("../a.txt", &link).unwrap();
    let result = run(&context, json!({"path": "sub/link", "old_text": "one", "new_text": "two"})).await;
    assert_eq!(result, ToolResult::ok("Edited sub/link: +1 -1 lines."));
    assert_eq!(text(&context), "two\n");
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o754);
    assert_eq!(names(&context.workspace.join("sub")), ["link"]);

    fs::set_permissions(&target, fs::Permissions::from_mode(0o444)).unwrap();
    let result = edit(&context, "two", "three").await;
    assert_eq!(result, ToolResult::error("a.txt is read-only; nothing was changed."));
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_out_of_the_workspace_is_not_written_through() {
    let (_outside, outside) = workspace("one\n");
    let (_folder, context) = workspace("");
    std::os::unix::fs::symlink(outside.workspace.join("a.txt"), context.workspace.join("link")).unwrap();
    let input = json!({"path": "link", "old_text": "one", "new_text": "two"});
    let result = run(&context, input.clone()).await;
    assert!(!result.ok && result.text.starts_with("link leads out of the workspace"), "{}", result.text);
    assert!(EditFile.actions(&input, &context).is_err());
    assert_eq!(text(&outside), "one\n");
}
