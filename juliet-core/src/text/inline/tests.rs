//! Tests of inline lists, structs and vectors.

#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::InlineFaultKind::*;
use super::*;

#[track_caller]
fn list(text: &str, expected: Result<&[&str], (InlineFaultKind, &str)>) {
    let found = Items::new(text).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    assert_eq!(found.as_deref().map_err(|fault| (fault.kind, fault.text)), expected, "{text}");
}

#[track_caller]
fn pairs(text: &str, expected: Result<&[(&str, &str)], (InlineFaultKind, &str)>) {
    let found = Pairs::new(text).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    assert_eq!(found.as_deref().map_err(|fault| (fault.kind, fault.text)), expected, "{text}");
}

#[test]
fn lists_are_split_at_their_own_commas() {
    list("[]", Ok(&[]));
    list("[ \t]", Ok(&[]));
    list("[1, 2, [3 4]]", Ok(&["1", "2", "[3 4]"]));
    list("[1,]", Ok(&["1"]));
    list("[ a b ,\t\"c, ]\" , {X: [1, 2], Y: 3} ]", Ok(&["a b", "\"c, ]\"", "{X: [1, 2], Y: 3}"]));
    list(r#"["a\"]", "\\"]"#, Ok(&[r#""a\"]""#, r#""\\""#]));
    list("[https://x, ä]", Ok(&["https://x", "ä"]));
}

#[test]
fn structs_are_split_into_names_and_values() {
    pairs("{}", Ok(&[]));
    pairs("{ X: 1, Y: \"a, b\" }", Ok(&[("X", "1"), ("Y", "\"a, b\"")]));
    pairs("{X:1,Y:{Z:[2,3]},}", Ok(&[("X", "1"), ("Y", "{Z:[2,3]}")]));
    pairs("{ \"a: b\": c:d }", Ok(&[("\"a: b\"", "c:d")]));
    pairs("{ X }", Err((MissingColon, "X")));
    pairs("{ {a: 1} }", Err((MissingColon, "{a: 1}")));
    pairs("{ : 1 }", Err((EmptyKey, ": 1")));
    pairs("{ X: , Y: 1 }", Err((EmptyValue, "X:")));
    pairs("[1]", Err((NotAStruct, "[1]")));
}

#[test]
fn faults_carry_the_place() {
    list("", Err((NotAList, "")));
    list("{}", Err((NotAList, "{}")));
    list("[", Err((Unclosed, "")));
    list("[1, [2]", Err((Unclosed, "")));
    list("[1}", Err((WrongCloser, "}")));
    list("[{1]", Err((WrongCloser, "]")));
    list("[1,,2]", Err((EmptyItem, ",")));
    list("[,]", Err((EmptyItem, ",")));
    list("[1] 2", Err((AfterEnd, " 2")));
    list("[\"a]", Err((UnclosedQuote, "\"a]")));
    list("[\"a\\", Err((UnclosedQuote, "\"a\\")));
    list("[\"a\\\"", Err((UnclosedQuote, "\"a\\\"")));
}

#[test]
fn nesting_ends_at_the_limit() {
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Items::new(&nested(NESTING_LIMIT)).unwrap().all(|item| item.is_ok()));
    let deep = nested(NESTING_LIMIT + 1);
    assert_eq!(Items::new(&deep).unwrap().next().unwrap().unwrap_err().kind, TooDeep);
    assert_eq!(Items::new(&nested(30_000)).unwrap().next().unwrap().unwrap_err().kind, TooDeep);
}

#[track_caller]
fn vector(text: &str, expected: Result<[f32; 3], VectorFault<'_>>) {
    assert_eq!(numbers::<f32, 3>(text), expected, "{text}");
}

#[test]
fn vectors_are_separated_by_commas_and_blanks() {
    for text in
        ["1 2 3", "1, 2, 3", "1,2,3", "1 , 2\t,\t3", "1   2 3", "[1, 2, 3]", "[ 1 2 3 ]", "+1 2.0 30e-1", "1 2, 3"]
    {
        vector(text, Ok([1.0, 2.0, 3.0]));
    }
    vector("-0.5 inf -1e-3", Ok([-0.5, f32::INFINITY, -1e-3]));
    assert_eq!(numbers::<i32, 2>("-1, 0x10"), Ok([-1, 16]));
    assert_eq!(numbers::<u8, 2>("1 2"), Ok([1, 2]));
}

#[test]
fn k07_a_decimal_comma_is_a_wrong_count() {
    vector("1,5, 2,5, 3,5", Err(VectorFault::Count { expected: 3, found: 6 }));
    vector("1,5 2,5 3,5", Err(VectorFault::Count { expected: 3, found: 6 }));
    vector("1, 2", Err(VectorFault::Count { expected: 3, found: 2 }));
    vector("", Err(VectorFault::Count { expected: 3, found: 0 }));
    vector("[]", Err(VectorFault::Count { expected: 3, found: 0 }));
    vector("big", Err(VectorFault::Count { expected: 3, found: 1 }));
}

#[test]
fn vector_faults_name_the_number() {
    let fault = |index, text, fault| Err(VectorFault::Number { index, text, fault });
    vector("1,,2", fault(1, "", NumberFault::Empty));
    vector("1,2,", fault(2, "", NumberFault::Empty));
    vector(",1,2", fault(0, "", NumberFault::Empty));
    vector(",", fault(0, "", NumberFault::Empty));
    vector("1 x 1e99", fault(1, "x", NumberFault::NotANumber));
    vector("1 2 1e99", fault(2, "1e99", NumberFault::OutOfRange));
    vector("[1 2 3", fault(0, "[1", NumberFault::NotANumber));
    assert_eq!(
        numbers::<u8, 2>("1 256"),
        Err(VectorFault::Number { index: 1, text: "256", fault: NumberFault::OutOfRange })
    );
    assert_eq!(vector_text("1 x 2"), "number 2: not a number");
    assert_eq!(vector_text("1 2"), "expected 3 numbers, found 2");
}

fn vector_text(text: &str) -> String {
    numbers::<f32, 3>(text).unwrap_err().to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_readers_of_vectors_agree(text in "[-+0-9., \te\\[\\]]{0,16}") {
        let trimmed = text.trim_matches([' ', '\t']);
        if let Some((numbers, used)) = scan_numbers::<f32, 3>(trimmed.as_bytes())
            && used == trimmed.len()
        {
            prop_assert_eq!(careful_numbers(text.trim_matches([' ', '\t'])), Ok(numbers));
        }
    }

    #[test]
    fn lists_of_any_strings_read_back(strings: Vec<String>) {
        let mut out = b"[".to_vec();
        for string in &strings {
            crate::text::write_string(string, true, &mut out);
            out.extend_from_slice(b", ");
        }
        out.push(b']');
        let text = std::str::from_utf8(&out).unwrap();
        let read = Items::new(text).unwrap().map(|item| {
            let item = item.unwrap();
            if item.starts_with('"') { crate::text::unquote(item).unwrap().to_string() } else { item.to_owned() }
        });
        prop_assert_eq!(read.collect::<Vec<_>>(), strings);
    }

    #[test]
    fn any_text_is_scanned_or_refused(text in "[\\[{][\\[\\]{},: \"\\\\aä]{0,24}") {
        let items = Items::new(&text).into_iter().flatten().map(|item| item.map(|item| (item, item)));
        let pairs = Pairs::new(&text).into_iter().flatten();
        for item in items.chain(pairs) {
            let text_of = item.map_or_else(|fault| fault.text, |(_, value)| value);
            prop_assert!(crate::text::offset_in(&text, text_of).is_some());
        }
    }
}
