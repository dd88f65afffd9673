//! The change of a proposal in the names and units of the REST contract. Services store it in their own.

use std::collections::BTreeMap;

use heck::ToLowerCamelCase;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::http::json::{Decimal, Dollars};
use crate::storage::files::Files;

/// The fields of a change: amounts in dollars, targets in percent, names as in the requests that proposed it. `None`
/// for a change without fields.
pub fn on_the_wire(stored: &str) -> Option<Box<RawValue>> {
    let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(stored).ok()?;
    let mut told = BTreeMap::new();
    for (name, value) in fields {
        // A proposal has a link to it instead.
        if name == "document_file" {
            continue;
        }
        let (name, value) = field(name.to_lower_camel_case(), value);
        // A value is stored for people and in millionths; it is shown once, as a number.
        told.insert(name, value?);
    }
    raw(&told)
}

/// The key of the stored document that a change names.
pub fn document(stored: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        document_file: Option<String>,
    }
    serde_json::from_str::<Named>(stored).ok()?.document_file
}

fn field(name: String, value: Box<RawValue>) -> (String, Option<Box<RawValue>>) {
    let whole = value.get().parse::<i64>().ok();
    match (name.as_str(), whole) {
        ("availableCents", Some(cents)) => ("balance".to_owned(), raw(&Dollars::from_cents(cents))),
        ("roiBasisPoints", Some(points)) => ("roi".to_owned(), raw(&Decimal::new(points, 2))),
        ("durationDays", _) => ("duration".to_owned(), Some(value)),
        (name, Some(points)) if name.ends_with("BasisPoints") => {
            (format!("{}Percent", name.trim_end_matches("BasisPoints")), raw(&Decimal::new(points, 2)))
        }
        ("imageKey", _) => ("image".to_owned(), image(&value)),
        (name, Some(micros)) if name.ends_with("Micros") => {
            (name.trim_end_matches("Micros").to_owned(), raw(&Decimal::new(micros, 6)))
        }
        (name, Some(cents)) if name.ends_with("Cents") => {
            (name.trim_end_matches("Cents").to_owned(), raw(&Dollars::from_cents(cents)))
        }
        _ => (name, Some(value)),
    }
}

fn raw(value: &impl Serialize) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(value).ok()
}

fn image(key: &RawValue) -> Option<Box<RawValue>> {
    let key: String = serde_json::from_str(key.get()).ok()?;
    raw(&Files::public_link(&key))
}

#[cfg(test)]
mod tests {
    use super::on_the_wire;

    /// [D-R2] [D-G1] Every kind of proposal speaks the contract's words: dollars, percent, days.
    #[test]
    fn a_change_is_told_in_the_words_of_the_contract() {
        for (stored, told) in [
            (
                r#"{"kind":"bonus","amount_cents":2550,"note":"Welcome"}"#,
                r#"{"amount":25.50,"kind":"bonus","note":"Welcome"}"#,
            ),
            (r#"{"availableCents":100,"bonusCents":0}"#, r#"{"balance":1,"bonus":0}"#),
            (
                r#"{"minCents":10000,"maxCents":500000,"roiBasisPoints":1250,"durationDays":30,"active":true}"#,
                r#"{"active":true,"duration":30,"max":5000,"min":100,"roi":12.5}"#,
            ),
            (
                r#"{"costBasisPoints":45,"exitFeeBasisPoints":50,"minHoldingDays":7,"riskClass":null,"holdings":"Bills"}"#,
                r#"{"costPercent":0.45,"exitFeePercent":0.5,"holdings":"Bills","minHoldingDays":7,"riskClass":null}"#,
            ),
            (
                r#"{"value":"1.05","valueMicros":1050000,"at":null,"source":"March"}"#,
                r#"{"at":null,"source":"March","value":1.05}"#,
            ),
            (
                r#"{"asset":"BTC","bidMicros":97312450000,"askMicros":97315000000,"source":"Kraken","validMinutes":60}"#,
                r#"{"ask":97315,"asset":"BTC","bid":97312.45,"source":"Kraken","validMinutes":60}"#,
            ),
            (
                r#"{"document":"Note 17","document_file":"documents/a.pdf","document_sha256":"ab"}"#,
                r#"{"document":"Note 17","documentSha256":"ab"}"#,
            ),
            (r#"{"archived":true,"imageKey":""}"#, r#"{"archived":true,"image":null}"#),
        ] {
            assert_eq!(on_the_wire(stored).unwrap().get(), told);
        }
        assert!(on_the_wire("").is_none());
    }
}
