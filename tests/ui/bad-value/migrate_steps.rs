use juliet::prelude::*;
use juliet::{MigrateError, Migration};

fn step(_: &mut Migration<'_>) -> Result<(), MigrateError> {
    Ok(())
}

#[derive(Entity)]
#[jasset(version = 3, migrate(2 => step, 1 => step, 3 => step))]
struct Downwards {
    hits: u8,
}

#[derive(Entity)]
#[jasset(version = 3, migrate())]
struct Empty {
    hits: u8,
}

#[derive(Entity)]
#[jasset(version = 3, migrate(step))]
struct NoNumber {
    hits: u8,
}

#[derive(Entity)]
#[jasset(version = 3, migrate(0 => step, 1 = step))]
struct NoArrow {
    hits: u8,
}

#[derive(Entity)]
#[jasset(migrate(1 => step), removed(), removed(3))]
struct NoVersion {
    hits: u8,
}

#[derive(Entity)]
#[jasset(version = 2, migrate(1 => "step"))]
struct InQuotes {
    hits: u8,
}

fn main() {}
