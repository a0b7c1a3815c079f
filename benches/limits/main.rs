//! Juliet against limit kernels: plain code over plain memory that does the least work possible.
//!
//! `cargo bench` runs everything in a minute or so; `cargo bench -- P6` only the tables whose title holds `P6`. Every table gives the
//! median time of one unit and its ratio to the limit of the same size, measured in turns, so that what else the machine does falls on
//! both alike. The ratios are what counts. Rows P1 to P11 are those of `docs/performance.md`, which also has the peers:
//!
//! ```text
//! cd benches/peers && cargo build --release && target/release/a-ecs
//! ```
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::unwrap_used, reason = "a bench that cannot run may stop")]

mod entities;
mod folder;
mod harness;
mod play;
mod present;
mod templates;
mod text;

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    println!("Median ns of one unit; peers: benches/peers/README.md.");
    for (title, run) in [
        ("P1 read one file of 12 properties", text::read as fn(&mut harness::Table)),
        ("P2 write 12 properties", text::write),
        ("P3 allocate", entities::allocate),
        ("P4 instantiate, one field overridden", entities::instantiate),
        ("P5a move every position", entities::positions),
        ("P5b change one field of one class of two", entities::values),
        ("P6 read by handle, in random order", entities::random),
        ("P7 remove half at random, fill up again", entities::churn),
        ("P8 load a folder, two threads", folder::load),
        ("P10 find the one dirty entity", entities::dirty),
        ("P10 save one changed entity, durable", folder::save),
        ("P11 a template changes, half of the instances shielded", templates::propagate),
        ("P12 presentation tick", present::tick),
        ("P12 sample all", present::sample),
        ("P14 play and stop", play::play),
    ] {
        if title.contains(&*filter) {
            let mut table = harness::Table::new(title);
            run(&mut table);
            table.print();
        }
    }
}
