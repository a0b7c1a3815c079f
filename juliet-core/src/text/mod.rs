//! Text.
#![expect(missing_docs, reason = "scaffold")]
pub mod number {
    #[derive(Clone, Copy, Debug)]
    pub enum NumberFault {
        NotANumber,
        OutOfRange,
        Empty,
    }
    pub fn parse_f32(t: &str) -> Result<f32, NumberFault> {
        t.parse().map_err(|_| NumberFault::NotANumber)
    }
    pub fn parse_f64(t: &str) -> Result<f64, NumberFault> {
        t.parse().map_err(|_| NumberFault::NotANumber)
    }
    pub fn parse_integer<T: core::str::FromStr>(t: &str) -> Result<T, NumberFault> {
        t.parse().map_err(|_| NumberFault::NotANumber)
    }
    pub fn write_f32(x: f32, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{x:?}").as_bytes())
    }
    pub fn write_f64(x: f64, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{x:?}").as_bytes())
    }
    pub fn write_integer<T: core::fmt::Display>(x: T, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{x}").as_bytes())
    }
}
pub mod quoted {
    pub enum Piece<'t> {
        Text(&'t str),
        Char(char),
    }
    pub struct QuoteFault {
        pub at: usize,
        pub expected: &'static str,
    }
    pub fn pieces(t: &str) -> impl Iterator<Item = Result<Piece<'_>, QuoteFault>> {
        core::iter::once(Ok(Piece::Text(t.trim_matches('"'))))
    }
    pub fn write_string(t: &str, _nested: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(t.as_bytes())
    }
    pub fn write_quoted(t: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{t:?}").as_bytes())
    }
}
pub mod inline {
    use super::number::NumberFault;
    pub struct InlineFault<'t> {
        pub text: &'t str,
        pub expected: &'static str,
    }
    pub enum NumbersFault<'t> {
        Count { found: usize, text: &'t str },
        Separator { text: &'t str },
        Number { text: &'t str, fault: NumberFault },
    }
    pub fn items(t: &str) -> impl Iterator<Item = Result<&str, InlineFault<'_>>> {
        t.trim_matches(['[', ']']).split(',').map(|x| Ok(x.trim()))
    }
    pub fn pairs(t: &str) -> impl Iterator<Item = Result<(&str, &str), InlineFault<'_>>> {
        t.trim_matches(['{', '}']).split(',').filter_map(|x| x.split_once(':')).map(|(a, b)| Ok((a.trim(), b.trim())))
    }
    pub fn numbers<'t, T>(
        t: &'t str,
        _nested: bool,
        into: &mut [T],
        parse: impl Fn(&'t str) -> Result<T, NumberFault>,
    ) -> Result<(), NumbersFault<'t>> {
        let parts: Vec<&str> = t.split([',', ' ']).filter(|x| !x.is_empty()).collect();
        if parts.len() != into.len() {
            return Err(NumbersFault::Count { found: parts.len(), text: t });
        }
        for (to, part) in into.iter_mut().zip(parts) {
            *to = parse(part).map_err(|fault| NumbersFault::Number { text: part, fault })?;
        }
        Ok(())
    }
}
