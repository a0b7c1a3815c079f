//! As much of JSON Schema (draft 2020-12) as `docs/schema.json` uses; any other keyword is a fault, so that nothing passes unchecked.

use serde_json::Value;

/// Where `value` is not of the form of `schema`, in words; empty if it is.
pub(super) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(schema, schema, value, "", &mut faults);
    faults
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    for (keyword, rule) in schema.as_object().unwrap() {
        let mut fault = |words: String| faults.push(format!("{at}: {words}"));
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                check(root, &root["$defs"][name], value, at, faults);
            }
            "type" if !is_of_type(value, rule.as_str().unwrap()) => fault(format!("{value} is no {rule}")),
            "const" if value != rule => fault(format!("{value} is not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => fault(format!("{value} is not among {rule}")),
            "type" | "const" | "enum" => {}
            "minimum" if value.as_f64().is_some_and(|it| it < rule.as_f64().unwrap()) => {
                fault(format!("{value} < {rule}"))
            }
            "maximum" if value.as_f64().is_some_and(|it| it > rule.as_f64().unwrap()) => {
                fault(format!("{value} > {rule}"))
            }
            "minimum" | "maximum" => {}
            "minLength" if (value.as_str().unwrap_or("").len() as u64) < rule.as_u64().unwrap() => {
                fault("too short".into())
            }
            "minLength" => {}
            "required" => {
                let missing =
                    rule.as_array().unwrap().iter().filter(|name| value.get(name.as_str().unwrap()).is_none());
                missing.for_each(|name| fault(format!("no {name}")));
            }
            "properties" => {
                for (name, rule) in rule.as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        check(root, rule, value, &format!("{at}/{name}"), faults);
                    }
                }
            }
            "additionalProperties" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    check(root, rule, value, &format!("{at}/{name}"), faults);
                }
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, value, &format!("{at}/{index}"), faults);
                }
            }
            "oneOf" => {
                let fits = |rule: &&Value| {
                    let mut inner = Vec::new();
                    check(root, rule, value, at, &mut inner);
                    inner.is_empty()
                };
                let count = rule.as_array().unwrap().iter().filter(fits).count();
                if count != 1 {
                    fault(format!("fits {count} of the forms, not one: {value}"));
                }
            }
            other => fault(format!("the keyword `{other}` is not checked")),
        }
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        _ => false,
    }
}
