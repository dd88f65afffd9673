//! Types, parsing and rules, without I/O.

/// Defines an enum whose variants have names in the database.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type)]
        #[serde(rename_all = "snake_case")]
        #[sqlx(type_name = "text")]
        pub enum $name { $($(#[$doc])* #[sqlx(rename = $text)] $variant,)+ }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(format!("unknown {}: {text}", stringify!($name))),
                }
            }
        }
    };
}

pub mod account;

pub mod bridge;

pub mod correction;

pub mod course_refund;

pub mod cursor;

pub mod destination;

pub mod disowning;

pub mod hold;

pub mod holding;

pub mod liabilities;

pub mod limits;

pub mod observed_payment;

pub mod payout_batch;
pub mod payout_correction;
pub mod posting_kind;

pub mod reason;

pub mod reference;

pub mod reversal;

pub mod search;

pub mod steps;

pub mod trade_funding;

pub mod treasury;

pub mod transaction;

pub mod txid;

pub mod wallet;
