//! The list of everything in the files of a project that the program does not know.

use juliet_core::diag::Diagnostic;

use super::{Mode, Survey, UpkeepError, Work};
use crate::project::Project;
use crate::world::{Unknown, list};

/// What the program does not know in the files of a project.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnknownReport {
    /// Sorted by file and line.
    pub unknown: Vec<Unknown>,
    /// Files in which nothing can be listed: they cannot be read, or their class is not found.
    pub diagnostics: Vec<Diagnostic>,
}

impl Project {
    /// Everything that this program does not know in the `.jasset` files below the content folder: of all worlds, whether loaded or not, and
    /// of all templates. Files that a load leaves out for a fault in a value are listed, too. Reads every file: O(bytes of the project).
    ///
    /// # Errors
    /// [`UpkeepError::Project`] if the content folder cannot be read.
    pub fn unknown(&self) -> Result<UnknownReport, UpkeepError> {
        let mut work = Work::default();
        let mut survey = Survey::of(self, Mode::Preview)?;
        let mut unknown = Vec::new();
        for file in &survey.files(&mut work).list {
            list(&file.opened, None, &file.class_name, &mut unknown);
        }
        unknown.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        let diagnostics = work.finish(self, Mode::Preview)?.diagnostics;
        Ok(UnknownReport { unknown, diagnostics })
    }
}
