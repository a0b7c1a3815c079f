//! Case K01: nothing is in scope but what is named.
#![no_implicit_prelude]
#![deny(warnings, missing_docs, unsafe_op_in_unsafe_fn)]
#![deny(unused, unused_qualifications, unreachable_pub)]

/// A rock.
#[derive(::juliet::Entity)]
#[jasset(version = 2, alias = "Stone", post_init = settle)]
pub struct Pebble {
    /// Grams.
    #[jasset(range = 0.0.., default = 3.0)]
    pub weight: f32,
    /// How it feels.
    pub feel: Feel,
    /// Not in files.
    #[jasset(skip)]
    pub rank: u8,
    /// Several.
    pub pair: Pair<f32, 2>,
}

/// How it feels.
#[derive(::juliet::Property)]
pub enum Feel {
    /// Like glass.
    Smooth,
    /// Like sand.
    Rough,
}

/// Two things.
#[derive(::juliet::Property)]
pub struct Pair<T, const N: usize> {
    /// First.
    pub first: [T; N],
    /// Second.
    pub second: T,
}

/// Runs after loading.
fn settle(pebble: &mut Pebble) {
    pebble.rank = 1;
}

#[cfg(test)]
mod tests {
    use ::juliet::Entity;
    use ::std::assert_eq;

    #[test]
    fn k01_derives_work_without_a_prelude() {
        let mut pebble = <super::Pebble as Entity>::default_value();
        pebble.post_init();
        assert_eq!(pebble.rank, 1);
        assert_eq!(<super::Pebble as Entity>::CLASS.properties().len(), 3);
    }
}
