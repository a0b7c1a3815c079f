//! Random values, files and sequences of steps against plain models. Seeds are fixed; a failure names its seed.

mod components;
mod edits;
pub(crate) mod files;
mod item_work;
mod items;
mod migrating;
mod registry;
mod round_trip;
mod running;
mod schema_edits;
mod templates;
mod upkeep;
mod value_tree;
pub(crate) mod values;
mod worlds;

use values::Rng;

/// Calls `check` with the seeds `0..count`; the seed of a failure is printed.
pub(crate) fn for_seeds(count: u64, mut check: impl FnMut(&mut Rng)) {
    struct Told(u64);
    impl Drop for Told {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("seed {}", self.0);
            }
        }
    }
    for seed in 0..count {
        let told = Told(seed);
        check(&mut Rng::new(seed));
        drop(told);
    }
}
