//! Reading files of an older class version.

/// Turns the raw nodes of an older version into those of the current one.
pub type MigrateFn = fn(&mut Migration<'_>) -> Result<(), String>;

/// The raw nodes of a file of an older class version.
pub struct Migration<'a> {
    nodes: Vec<(&'a str, &'a str)>,
}
impl Migration<'_> {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
}
