//! `cargo xtask bless`: rewrites expected output (insta snapshots, trybuild messages, sizes of expansions) from what is produced now.
//!
//! Nothing is checked here: the difference is to be read before it is committed, and `ci` afterwards must pass unchanged.

use crate::step::{Failure, Steps};

/// Runs every test in rewriting mode.
pub(crate) fn bless(steps: &mut Steps) -> Result<(), Failure> {
    steps.step("bless", |context| {
        let mut command = context.cargo(&["test", "--workspace", "--no-fail-fast"]);
        context.run(command.env("INSTA_UPDATE", "always").env("TRYBUILD", "overwrite"))
    })?;
    crate::expansion::bless(steps)
}
