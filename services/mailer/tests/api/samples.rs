//! One event of every kind, the mails it asks for, and what those must say.

mod accounts;
mod cases;
mod trades;
mod transactions;

use chassis::bus::Event;
use chassis::id::UserId;
use mailer::domain::template::Template;
use proto::auth::v1 as auth;
use proto::payment_method::v1 as payment_method;
use uuid::Uuid;

use crate::fixture::event;
use crate::samples::accounts::auth_samples;
use crate::samples::cases::case_samples;
use crate::samples::trades::trade_samples;
use crate::samples::transactions::wallet_samples;

/// An event and what must come of it.
pub struct Sample {
    pub event: Event,
    /// Each mail with its address, if it is not the account's.
    pub mails: Vec<(Template, Option<&'static str>)>,
    /// What text and HTML must both say.
    pub facts: &'static [&'static str],
}

const TRANSACTION: &str = "1a2b3c4d-0000-4000-8000-000000000001";
const SEEN: &str = "https://solvane.test/transactions/1a2b3c4d-0000-4000-8000-000000000001";
const CASE_SEEN: &str = "https://solvane.test/cases/1a2b3c4d-0000-4000-8000-000000000001";

/// Every kind of event for this member, confirmed by these two of staff.
pub fn samples(user_id: UserId, staff: [UserId; 2]) -> Vec<Sample> {
    let mut all = auth_samples(user_id);
    all.extend(wallet_samples(user_id));
    all.extend(trade_samples(user_id));
    all.extend(case_samples(user_id));
    let [proposed_by, confirmed_by] = staff.map(|id| id.to_string());
    let promoted = auth::StaffChanged {
        user_id: Uuid::new_v4().to_string(),
        change: "given another role".to_owned(),
        name: "Rae Reviewer".to_owned(),
        email: "rae@solvane.test".to_owned(),
        role: "treasurer".to_owned(),
        previous_role: "reviewer".to_owned(),
        proposed_by: proposed_by.clone(),
        confirmed_by: confirmed_by.clone(),
    };
    all.push(Sample {
        event: event("auth.v1.staff_changed", &promoted),
        mails: vec![(Template::StaffChanged, None); 2],
        facts: &[
            "given another role",
            "Rae Reviewer",
            "rae@solvane.test",
            "Role before",
            "reviewer",
            "Tessa Treasurer",
            "Tom Treasurer",
            "https://solvane.test/admin/staff",
        ],
    });
    let changed = payment_method::PlatformMethodChanged {
        method_id: Uuid::new_v4().to_string(),
        change: "updated".to_owned(),
        currency: "USDT".to_owned(),
        network: "TRC20".to_owned(),
        address: "TNewAddress".to_owned(),
        proposed_by,
        confirmed_by,
    };
    let seen = payment_method::PaymentSeen { user_id: user_id.to_string() };
    all.push(Sample {
        event: event("payment_method.v1.payment_seen", &seen),
        mails: vec![(Template::PaymentSeen, None)],
        facts: &["confirmed it", "https://solvane.test/transactions"],
    });
    all.push(Sample {
        event: event("payment_method.v1.platform_method_changed", &changed),
        mails: vec![(Template::PlatformMethodChanged, None); 2],
        facts: &[
            "USDT (TRC20)",
            "TNewAddress",
            "Tessa Treasurer",
            "Tom Treasurer",
            "https://solvane.test/admin/payment-methods",
        ],
    });
    all
}

/// A message of any type, to be put into an event.
trait Encode {
    fn event(&self, key: &str) -> Event;
}

impl<M: prost::Message> Encode for M {
    fn event(&self, key: &str) -> Event {
        event(key, self)
    }
}
