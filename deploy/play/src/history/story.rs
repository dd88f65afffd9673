//! The acts of the history.

use serde_json::{Value, json};

use crate::demo;
use crate::seed::PLANS;

/// Days that are played; the last one is today.
pub const DAYS: u64 = 183;

pub const DEMO: Person =
    Person { name: "Demi Demo", email: demo::EMAIL, country: "Portugal", password: demo::PASSWORD };

/// The members whose requests are in the queue of the back office.
const OTHERS: [Person; 12] = [
    other("Amara Okafor", "amara@members.test", "Nigeria"),
    other("Bruno Keller", "bruno@members.test", "Switzerland"),
    other("Chiara Romano", "chiara@members.test", "Italy"),
    other("Daniel Novak", "daniel@members.test", "Czech Republic"),
    other("Elif Kaya", "elif@members.test", "Turkey"),
    other("Farah Haddad", "farah@members.test", "Jordan"),
    other("Goran Petrov", "goran@members.test", "Bulgaria"),
    other("Hana Sato", "hana@members.test", "Japan"),
    other("Inés Duarte", "ines@members.test", "Spain"),
    other("Jonas Berg", "jonas@members.test", "Norway"),
    other("Kavya Nair", "kavya@members.test", "India"),
    other("Liam Walsh", "liam@members.test", "Ireland"),
];

pub struct Person {
    pub name: &'static str,
    pub email: &'static str,
    pub country: &'static str,
    pub password: &'static str,
}

const fn other(name: &'static str, email: &'static str, country: &'static str) -> Person {
    Person { name, email, country, password: "a quiet harbour town" }
}

/// An action on a day, by the demo member or one of the [`OTHERS`].
pub enum Act {
    Register(&'static Person),
    /// Claimed amount, network.
    Deposit(&'static Person, &'static str, &'static str, Outcome),
    /// Requested amount, in dollars before the fee.
    Withdraw(&'static Person, &'static str, Payout),
    /// The payout of the earlier request.
    PayOut(&'static Person),
    /// The title of a plan, and dollars.
    Invest(&'static str, &'static str),
    /// Ends the oldest open trade of a plan: claims it if it is in profit, otherwise closes it.
    EndTrade(&'static str),
    /// Pays the fee of the open withdrawal from outside.
    PayFee(&'static Person, Outcome),
    BuyCourse,
    /// A payment for the course from outside.
    CoursePayment(&'static Person),
    /// Correction, amount, note, whether a second treasurer confirms it.
    Correct(&'static Person, &'static str, &'static str, &'static str, bool),
    /// A change that needs a second person: role; path and body, which may name the first plan by its id.
    Propose(&'static str, fn(&str) -> (String, Value)),
}

/// How a payment to the platform ends.
pub enum Outcome {
    Approved(&'static str),
    Rejected(&'static str, &'static str),
    /// Approved by the first of two reviewers.
    ApprovedOnce(&'static str),
    Waits,
}

/// How far a payout gets on the day it is requested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Payout {
    Requested,
    Approved,
    Rejected(&'static str),
}

use Act::{BuyCourse, Correct, CoursePayment, Deposit, EndTrade, Invest, PayFee, PayOut, Propose, Register, Withdraw};
use Outcome::{Approved, ApprovedOnce, Rejected, Waits};

pub const LIFE: &[(u64, Act)] = &[
    (0, Register(&DEMO)),
    (1, Deposit(&DEMO, "5000.00", "TRC20", Approved("5000.00"))),
    (2, Invest("Starter", "500.00")),
    (4, Invest("Balanced", "1500.00")),
    (
        6,
        Deposit(
            &DEMO,
            "750.00",
            "ERC20",
            Rejected("UNREADABLE_RECEIPT", "The amount cannot be read on the screenshot."),
        ),
    ),
    (7, Deposit(&DEMO, "750.00", "ERC20", Approved("750.00"))),
    (12, Correct(&DEMO, "bonus", "50.00", "Welcome bonus", true)),
    (18, Deposit(&DEMO, "1250.00", "Bitcoin", Approved("1243.60"))),
    (30, Correct(&DEMO, "release", "25.00", "Half of the welcome bonus after a month", true)),
    (33, EndTrade("Starter")),
    (35, Withdraw(&DEMO, "600.00", Payout::Approved)),
    (36, PayOut(&DEMO)),
    (40, Invest("Starter", "1000.00")),
    (44, BuyCourse),
    (55, Invest("Growth", "2500.00")),
    (71, EndTrade("Starter")),
    (75, Withdraw(&DEMO, "800.00", Payout::Requested)),
    (76, PayFee(&DEMO, Approved("20.00"))),
    (77, PayOut(&DEMO)),
    (80, Invest("Balanced", "600.00")),
    (95, EndTrade("Balanced")),
    (96, EndTrade("Balanced")),
    (100, Deposit(&DEMO, "2000.00", "TRC20", Approved("2000.00"))),
    (104, Withdraw(&DEMO, "300.00", Payout::Rejected("INVALID_ADDRESS"))),
    (110, Invest("Starter", "1500.00")),
    (120, Invest("Balanced", "1000.00")),
    (121, Register(&OTHERS[0])),
    (122, Deposit(&OTHERS[0], "3000.00", "TRC20", Approved("3000.00"))),
    (128, Register(&OTHERS[1])),
    (129, Deposit(&OTHERS[1], "1800.00", "Bitcoin", Approved("1800.00"))),
    (134, Register(&OTHERS[2])),
    (135, Deposit(&OTHERS[2], "950.00", "ERC20", Approved("950.00"))),
    (139, Register(&OTHERS[3])),
    (140, Deposit(&OTHERS[3], "4200.00", "TRC20", Approved("4200.00"))),
    (142, EndTrade("Starter")),
    (145, Register(&OTHERS[4])),
    (146, Deposit(&OTHERS[4], "2600.00", "TRC20", Approved("2600.00"))),
    (149, Register(&OTHERS[5])),
    (150, Withdraw(&DEMO, "1200.00", Payout::Approved)),
    (150, Deposit(&OTHERS[5], "1500.00", "ERC20", Approved("1500.00"))),
    (151, PayOut(&DEMO)),
    (154, Register(&OTHERS[6])),
    (155, Deposit(&OTHERS[6], "5200.00", "TRC20", Approved("5200.00"))),
    (158, Register(&OTHERS[7])),
    (159, Deposit(&OTHERS[7], "700.00", "Bitcoin", Approved("700.00"))),
    (161, Register(&OTHERS[8])),
    (162, Deposit(&OTHERS[8], "2100.00", "TRC20", Approved("2100.00"))),
    (166, Register(&OTHERS[9])),
    (168, Register(&OTHERS[10])),
    (170, Invest("Balanced", "700.00")),
    (172, Register(&OTHERS[11])),
    (178, Invest("Starter", "500.00")),
];

/// What the last day leaves in the queues of the back office, by how many minutes ago it was.
pub const TODAY: &[(u64, Act)] = &[
    (250, Deposit(&OTHERS[2], "350.00", "ERC20", Waits)),
    (215, Deposit(&OTHERS[9], "900.00", "Bitcoin", Waits)),
    (215, Withdraw(&OTHERS[1], "250.00", Payout::Approved)),
    (190, Deposit(&OTHERS[10], "1250.00", "TRC20", Waits)),
    (
        190,
        Propose("treasurer", |_| {
            (
                "/admin/payment-methods".to_owned(),
                json!({
                    "currency": "USDC", "network": "ERC20", "address": "0x736F6c76616e65206c6f63616C2065746865722e",
                    "label": "USD Coin on Ethereum",
                }),
            )
        }),
    ),
    (160, CoursePayment(&OTHERS[9])),
    (160, Deposit(&OTHERS[0], "640.00", "TRC20", Waits)),
    (160, Withdraw(&OTHERS[0], "400.00", Payout::Requested)),
    (140, PayFee(&OTHERS[0], Waits)),
    (140, Withdraw(&OTHERS[3], "1500.00", Payout::Approved)),
    (140, Correct(&OTHERS[4], "adjustment", "12.50", "Network fee charged twice", false)),
    (115, Deposit(&OTHERS[11], "500.00", "ERC20", Waits)),
    (115, Withdraw(&OTHERS[2], "150.00", Payout::Requested)),
    (95, Deposit(&OTHERS[10], "12000.00", "TRC20", ApprovedOnce("12000.00"))),
    (95, Withdraw(&OTHERS[4], "820.00", Payout::Requested)),
    (95, PayFee(&OTHERS[2], Waits)),
    (75, Deposit(&OTHERS[5], "275.00", "TRC20", Waits)),
    (75, Deposit(&OTHERS[6], "2400.00", "Bitcoin", Waits)),
    (75, Withdraw(&OTHERS[5], "300.00", Payout::Approved)),
    (60, Withdraw(&OTHERS[6], "2500.00", Payout::Requested)),
    (60, Withdraw(&DEMO, "250.00", Payout::Approved)),
    (60, Correct(&OTHERS[7], "bonus", "25.00", "Referred a friend", false)),
    (45, Deposit(&DEMO, "400.00", "TRC20", Waits)),
    (45, Deposit(&OTHERS[7], "180.00", "ERC20", Waits)),
    (
        45,
        Propose("manager", |plan| {
            let mut terms = PLANS[0].terms();
            terms["max"] = json!(5_000);
            (format!("/admin/plans/{plan}"), terms)
        }),
    ),
    (30, Deposit(&OTHERS[1], "310.00", "TRC20", Waits)),
    (30, CoursePayment(&OTHERS[11])),
    (30, Withdraw(&OTHERS[7], "200.00", Payout::Requested)),
    (
        30,
        Propose("admin", |_| {
            (
                "/admin/staff".to_owned(),
                json!({
                    "name": "Rhea Reviewer", "email": "reviewer3@solvane.test", "role": "reviewer",
                }),
            )
        }),
    ),
    (20, Withdraw(&OTHERS[8], "600.00", Payout::Requested)),
    (20, PayFee(&OTHERS[8], Waits)),
];

#[cfg(test)]
mod tests {
    use super::{DAYS, LIFE, TODAY};

    #[test]
    fn the_story_is_told_in_order() {
        assert!(LIFE.is_sorted_by_key(|(day, _)| *day));
        assert!(LIFE.iter().all(|(day, _)| *day < DAYS));
        assert!(TODAY.is_sorted_by(|(one, _), (other, _)| one >= other));
    }
}
