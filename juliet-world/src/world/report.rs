//! What the byte level says, told as diagnostics.

use juliet_core::archive::FILE_LIMIT_BYTES;
use juliet_core::diag::{Code, Diagnostic, Severity};

use crate::folder::{RecoveryReport, Refusal, Refused};

/// A file past the limit.
pub(super) fn too_large(label: &str, size_bytes: u64) -> Diagnostic {
    Diagnostic::new(Code::FileTooLarge, format!("the file has {size_bytes} bytes, the limit is {FILE_LIMIT_BYTES}"))
        .in_file(label)
        .expected(format!("at most {FILE_LIMIT_BYTES} bytes"))
        .found(size_bytes.to_string())
}

/// What finishing a save that was cut off did. `prefix` is put before each path.
pub(crate) fn recovery(report: &RecoveryReport, prefix: &str) -> Vec<Diagnostic> {
    let about =
        |code: Code, path: &str, message: String| Diagnostic::new(code, message).in_file(format!("{prefix}{path}"));
    let done = (report.written.iter().map(|path| (path, "written")))
        .chain(report.removed.iter().map(|path| (path, "removed")))
        .map(|(path, done)| about(Code::RecoveredSave, path, format!("a save was cut off; the file is {done} now")));
    let conflicts = report.conflicts.iter().map(|conflict| {
        let kept =
            conflict.kept_in.as_ref().map_or_else(String::new, |kept| format!("; its text is in {prefix}{kept}"));
        about(
            Code::ForeignFile,
            &conflict.path,
            format!("a save was cut off and cannot be finished: {}{kept}", conflict.reason),
        )
    });
    let failed = report.failed.iter().map(|failed| {
        about(Code::WriteFailed, &failed.path, format!("a save was cut off and cannot be finished: {}", failed.fault))
    });
    let discarded = (report.discarded_bytes > 0).then(|| {
        let message = "a save was cut off before it was decided; every file is as it was before";
        Diagnostic::new(Code::DiscardedSave, message).severity(Severity::Warning)
    });
    done.chain(conflicts).chain(failed).chain(discarded).collect()
}

/// A file that a save left alone.
pub(crate) fn refused(refused: &Refused, prefix: &str) -> Diagnostic {
    let code = match refused.reason {
        Refusal::LinkLeavesRoot => Code::SymlinkEscapes,
        Refusal::Changed | Refusal::Gone | Refusal::Exists => Code::ChangedOnDisk,
        _ => Code::WriteFailed,
    };
    let diagnostic =
        Diagnostic::new(code, format!("not saved: {}", refused.reason)).in_file(format!("{prefix}{}", refused.path));
    match refused.reason {
        Refusal::Changed | Refusal::Gone => diagnostic.help("load the world again to see what is on disk"),
        _ => diagnostic,
    }
}
