//! Payment methods and the validation of their fields (D-M3).

use chassis::id::MethodId;
use chassis::validate::{Checks, FieldError, is_text};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::address::{self, InvalidAddress};
use super::address_proof::SignedProof;
use super::deposit_key::{self, DepositKey, InvalidKey};

/// How many active methods a member may keep (D-M1).
pub const PERSONAL_LIMIT: i64 = 20;
/// The longest output descriptor, with its origin and checksum.
const KEY_LENGTH: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Scope {
    /// Staff: where members pay to.
    Platform,
    /// A member: where payouts go.
    Personal,
}

/// One version of a payment method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Method {
    pub id: MethodId,
    pub scope: Scope,
    /// Incremented by every change.
    pub version: i32,
    pub fields: Fields,
}

/// How an address of a member's own follows from the extended public key of a method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Derivation {
    /// As it stands in the method, in the place of an address.
    pub key: String,
    pub path: String,
    /// The last step of the path.
    pub index: u32,
    /// Whether each deposit gets another address.
    pub per_deposit: bool,
}

/// A method as a member is shown it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownMethod {
    /// With the member's own address, where there is a derivation.
    pub signed: SignedMethod,
    pub derivation: Option<Derivation>,
}

/// A version of a method with the newest signature of the treasury key over it, if there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedMethod {
    pub method: Method,
    pub signature: Option<String>,
    /// That the operator has the private key of its address. `None` if there is none, or it was not asked for.
    #[serde(default)]
    pub proof: Option<SignedProof>,
}

/// The fields that a member or staff fill in, valid.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fields {
    /// 2-10 of A-Z and 0-9.
    pub currency: String,
    /// 2 to 40 characters.
    pub network: String,
    /// Valid for the network. Platform methods may have the extended public key of an account instead, from which each member
    /// gets addresses of their own.
    pub address: String,
    /// Tag of networks that need one; empty otherwise.
    pub memo: String,
    /// The owner's name for it; may be empty.
    pub label: String,
    /// Key of the picture in the object store; empty when there is none.
    pub image_key: String,
}

impl Fields {
    /// Reads the fields as typed: without the blanks around them, the currency in capitals.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn parse(typed: Self) -> Result<Self, Vec<FieldError>> {
        let read = address::parse(typed.network.trim(), &typed.address).map_err(InvalidAddress::sentence);
        Self::with_address(typed, read)
    }

    /// Reads those of a platform method, which may have an extended public key in place of an address, and then no memo.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn parse_platform(typed: Self) -> Result<Self, Vec<FieldError>> {
        let text = typed.address.trim();
        if !deposit_key::is_meant(text) {
            return Self::parse(typed);
        }
        let read = DepositKey::parse(&typed.network, text).map_err(InvalidKey::sentence);
        let read = match read {
            Ok(_) if text.len() > KEY_LENGTH => Err(InvalidKey::Malformed.sentence()),
            Ok(_) if !typed.memo.trim().is_empty() => Err("An extended public key has no memo"),
            read => read.map(|_| text.to_owned()),
        };
        Self::with_address(typed, read)
    }

    /// The key that the addresses of members are derived from, if there is one.
    #[must_use]
    pub fn deposit_key(&self) -> Option<DepositKey> {
        if !deposit_key::is_meant(&self.address) {
            return None;
        }
        DepositKey::parse(&self.network, &self.address).ok()
    }

    fn with_address(typed: Self, read: Result<String, &'static str>) -> Result<Self, Vec<FieldError>> {
        let mut checks = Checks::default();
        let currency = typed.currency.trim().to_ascii_uppercase();
        let currency_ok =
            (2..=10).contains(&currency.len()) && currency.bytes().all(|byte| byte.is_ascii_alphanumeric());
        checks.that(currency_ok, "currency", "Currency must have 2 to 10 letters or digits");
        let network = typed.network.trim().to_owned();
        checks.that(is_text(&network, 2, 40), "network", "Network must have 2 to 40 characters");
        if let Err(sentence) = read {
            checks.that(false, "address", sentence);
        }
        let address = read.unwrap_or_default();
        let memo = typed.memo.trim().to_owned();
        checks.that(is_text(&memo, 0, 128), "memo", "Memo must have at most 128 characters");
        let label = typed.label.trim().to_owned();
        checks.that(is_text(&label, 0, 60), "label", "Label must have at most 60 characters");
        checks.that(is_text(&typed.image_key, 0, 200), "image", "The image could not be used");
        let fields = Self { currency, network, address, memo, label, image_key: typed.image_key };
        checks.passed(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::Fields;

    fn typed() -> Fields {
        Fields {
            currency: " usdt ".to_owned(),
            network: " TRC20 ".to_owned(),
            address: " TLnAZ4XWmLqPSWQbLoh7sEBrnn9zv6i312 ".to_owned(),
            memo: String::new(),
            label: " Cold wallet ".to_owned(),
            image_key: String::new(),
        }
    }

    /// [D-M3] Fields are trimmed, the currency is in capitals.
    #[test]
    fn reads_fields_as_typed() {
        let fields = Fields::parse(typed()).expect("valid");
        assert_eq!((fields.currency.as_str(), fields.network.as_str()), ("USDT", "TRC20"));
        assert_eq!(fields.address, "TLnAZ4XWmLqPSWQbLoh7sEBrnn9zv6i312");
        assert_eq!(fields.label, "Cold wallet");
    }

    /// [D-M3] [D-R7] Every wrong field is named.
    #[test]
    fn names_every_wrong_field() {
        let wrong = |change: fn(&mut Fields)| {
            let mut fields = typed();
            change(&mut fields);
            Fields::parse(fields).expect_err("invalid").iter().map(|error| error.field).collect::<Vec<_>>()
        };
        assert_eq!(wrong(|fields| fields.currency = "U".to_owned()), ["currency"]);
        assert_eq!(wrong(|fields| fields.currency = "US-DT".to_owned()), ["currency"]);
        assert_eq!(wrong(|fields| fields.currency = "A".repeat(11)), ["currency"]);
        assert_eq!(wrong(|fields| fields.network = "x".repeat(41)), ["network"]);
        assert_eq!(wrong(|fields| fields.network = "T\nRC20".to_owned()), ["network"]);
        assert_eq!(wrong(|fields| fields.address = "short".to_owned()), ["address"]);
        assert_eq!(wrong(|fields| fields.memo = "m".repeat(129)), ["memo"]);
        assert_eq!(wrong(|fields| fields.label = "l".repeat(61)), ["label"]);
        let all = wrong(|fields| {
            *fields = Fields {
                currency: String::new(),
                network: String::new(),
                address: String::new(),
                memo: "\u{7}".to_owned(),
                label: "\u{7}".to_owned(),
                image_key: String::new(),
            }
        });
        assert_eq!(all, ["currency", "network", "address", "memo", "label"]);
    }
}
