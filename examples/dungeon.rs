//! A small game in the terminal: systems over a loaded world, ticks at 60 Hz, and what is shown between them.
//!
//! ```text
//! cargo run --release --example dungeon                              arrows or WASD move, space strikes, q quits
//! cargo run --release --example dungeon -- --frames 300 --headless   no screen: the hash of the state after 300 ticks
//! ```
//!
//! `dungeon/game/systems.rs` has what happens in a tick, `dungeon/game/classes.rs` what there is, `dungeon/screen.rs` what it looks like; the rooms are in
//! `dungeon/assets`.
#![expect(clippy::print_stdout, reason = "a program for people")]

#[path = "dungeon/game/mod.rs"]
mod game;
#[path = "dungeon/screen.rs"]
mod screen;

use std::env;
use std::error::Error;
use std::io::IsTerminal;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut frames, mut is_headless) = (None, false);
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--headless" => is_headless = true,
            "--frames" => frames = Some(arguments.next().ok_or("--frames needs a number")?.parse()?),
            _ => return Err(format!("unknown argument `{argument}`; there are --frames N and --headless").into()),
        }
    }
    // Where nobody looks there is nothing to draw.
    if is_headless || !std::io::stdout().is_terminal() {
        println!("{:016x}", game::headless(frames.unwrap_or(300))?);
        return Ok(());
    }
    screen::run(frames)
}
