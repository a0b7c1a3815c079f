//! Case K01: unsafe code is forbidden, and so is every allowance.
#![forbid(unsafe_code, unused, deprecated, missing_docs, unreachable_pub)]
#![deny(warnings)]

/// A rock.
#[derive(juliet::Entity)]
pub struct Pebble {
    /// Grams.
    pub weight: f32,
    /// Seconds.
    #[jasset(with = seconds)]
    pub age: core::time::Duration,
    /// Light.
    pub light: Light,
    /// Not in files.
    #[jasset(skip)]
    pub rank: Option<String>,
}

/// Light.
#[derive(juliet::Property)]
pub struct Light {
    /// How much.
    pub power: f32,
}

/// Seconds as a number.
pub mod seconds {
    use core::time::Duration;

    /// Reads seconds.
    ///
    /// # Errors
    /// If `text` is no duration.
    pub fn read(text: &str) -> Result<Duration, String> {
        let seconds: f64 = text.parse().map_err(|_| "expected seconds, such as `1.5`".to_owned())?;
        Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
    }

    /// Writes seconds.
    pub fn write(value: &Duration) -> String {
        value.as_secs_f64().to_string()
    }
}

#[cfg(test)]
mod tests {
    use juliet::Entity;

    #[test]
    fn k01_derives_work_where_unsafe_code_is_forbidden() {
        assert_eq!(<super::Pebble as Entity>::CLASS.properties().len(), 3);
        assert_eq!(super::Light::PROPERTIES.len(), 1);
    }
}
