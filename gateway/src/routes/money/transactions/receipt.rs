//! The receipt of a transaction, as a PDF.

use axum::extract::Path;
use axum::response::Response;
use chassis::clock::{self, Timestamp};
use chassis::money::{Cents, Rate};
use proto::wallet::v1::{Direction, GetTransactionRequest, Transaction, TransactionStatus};
use route_macros::get;
use time::OffsetDateTime;

use crate::extract::VerifiedMember;
use crate::http::error::{ApiError, Errors};
use crate::operator::Issuer;
use crate::papers::documents::{self, DocumentKind};
use crate::papers::paper::{Column, LEFT, Paper, Row, written};
use crate::peers::cache::profiles::Profile;
use crate::peers::clients::ask;
use crate::routes::money::transactions::reference;
use crate::routes::money::transactions::statement::{price, whole};

const COLUMNS: [Column; 2] = [Column::left("", LEFT, 1500), Column::left("", 2080, 3370)];

/// Download the receipt of a transaction
///
/// A PDF with the state of the transaction when it was made, and a number by which anyone can check it.
#[get("/transactions/{id}/receipt", "Transactions",
    responses((status = 200, description = "The receipt", content_type = "application/pdf", body = String), Errors))]
pub async fn receipt(caller: VerifiedMember, Path(id): Path<String>) -> Result<Response, ApiError> {
    caller.app.documents.admit(caller.session.user_id)?;
    let request = async { ask!(caller.wallet.get_transaction(GetTransactionRequest { id })) };
    let (answer, holder) = futures::try_join!(request, caller.app.profiles.get(caller.session.user_id))?;
    let row = answer.transaction.ok_or_else(ApiError::not_found)?;
    let made_at = OffsetDateTime::now_utc();
    let print = |number: &str| Ok(printed(&row, &holder, made_at, caller.app.config.issuer(), number));
    let content = documents::issue(&caller.app.files, DocumentKind::Receipt, made_at, print).await?;
    documents::download(&format!("solvane-receipt-{}.pdf", reference(&row.id)), "application/pdf", content)
}

fn printed(row: &Transaction, holder: &Profile, made_at: OffsetDateTime, issuer: Issuer<'_>, number: &str) -> Vec<u8> {
    let is_done = row.status() == TransactionStatus::Success;
    let mut sums = vec![("Amount", written(Cents::new(row.amount_cents)))];
    // Of what failed nothing was charged or paid.
    if row.status() != TransactionStatus::Failed {
        let part = |cents: Option<i64>| cents.map(|cents| written(Cents::new(cents)));
        let name = if row.fee_paid { "Fee, paid separately" } else { "Fee" };
        sums.extend(part(row.fee_cents).map(|fee| (name, fee)));
        sums.extend(part(row.net_amount_cents).map(|net| ("Payout", net)));
    }
    sums.push(("State", state(row).to_owned()));
    let paper = Paper {
        title: if is_done { "Receipt" } else { "Transaction record" },
        subject: &format!("{} {}", row.title, reference(&row.id)),
        holder,
        made_at,
        issuer,
        number,
        note: if is_done {
            "This transaction is complete. Dates and times are UTC."
        } else {
            "Not a proof of payment: the state is that of the moment of issue. Dates and times are UTC."
        },
        sums,
        columns: &COLUMNS,
        rows: facts(row).into_iter().map(|(label, value)| Row::new([label.to_owned(), value])).collect(),
    };
    paper.write()
}

fn state(row: &Transaction) -> &'static str {
    match row.status() {
        TransactionStatus::Success => "Completed",
        TransactionStatus::Failed => "Failed",
        TransactionStatus::Pending | TransactionStatus::Unspecified => "Pending",
    }
}

/// What the record says, without what is empty.
fn facts(row: &Transaction) -> Vec<(&'static str, String)> {
    let at = |at: Option<&Timestamp>| at.and_then(clock::from_proto).map(clock::to_text).unwrap_or_default();
    let money = |cents: Option<i64>| cents.map(|cents| written(Cents::new(cents))).unwrap_or_default();
    let rate = |micros: i64| Rate::new(micros).map(Rate::to_wire).map(|rate| price(&rate)).unwrap_or_default();
    let direction = match row.direction() {
        Direction::Credit => "Into the balance",
        Direction::Debit => "Out of the balance",
        Direction::Unspecified => "",
    };
    let method = row.method.as_ref().map(|method| format!("{} on {}", method.currency, method.network));
    let destination = row.destination.as_ref();
    let is_payment = row.payout.is_none() && row.net_amount_cents.is_none();
    // A quote is what was asked; with another amount something else was paid.
    let quote = row.quote.as_ref().filter(|_| is_payment && row.claimed_amount_cents.is_none());
    let (units, rate) = match (&row.payout, quote) {
        (Some(payout), _) => {
            (format!("{} {}", whole(&payout.units, payout.decimals), payout.asset), rate(payout.rate_micros))
        }
        (None, Some(quote)) => {
            (format!("{} {}", whole(&quote.units, quote.decimals), quote.asset), rate(quote.rate_micros))
        }
        (None, None) => (String::new(), String::new()),
    };
    let facts = [
        ("Transaction", row.id.clone()),
        ("Kind", row.title.clone()),
        ("Description", row.description.clone()),
        ("Direction", direction.to_owned()),
        ("Amount claimed", money(row.claimed_amount_cents)),
        ("Method", method.unwrap_or_default()),
        ("Units", units),
        ("Rate", rate),
        ("Destination", destination.map(|to| to.address.clone()).unwrap_or_default()),
        ("Memo", destination.map(|to| to.memo.clone()).unwrap_or_default()),
        ("Transaction hash", row.txid.clone()),
        ("Requested", at(row.created_at.as_ref())),
        ("Sent", at(row.sent_at.as_ref())),
        ("Decided", at(row.decided_at.as_ref())),
    ];
    facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use proto::wallet::v1::{Direction, Transaction, TransactionQuote, TransactionStatus};
    use time::macros::datetime;

    use super::{Issuer, Profile, printed};
    use crate::operator::Operator;

    fn text_of(row: &Transaction) -> String {
        let holder = Profile { name: "Amara Okafor".to_owned(), ..Profile::default() };
        let issuer = Issuer { operator: Operator::example(), address: "https://solvane.test" };
        let content = printed(row, &holder, datetime!(2026-02-01 14:05 UTC), issuer, "SD-1");
        content.into_iter().map(char::from).collect()
    }

    fn deposit(status: TransactionStatus) -> Transaction {
        Transaction {
            id: "1a2b3c4d-0000-4000-8000-000000000000".to_owned(),
            title: "Deposit".to_owned(),
            amount_cents: 49_631_005,
            status: status.into(),
            direction: Direction::Credit.into(),
            txid: "ab".repeat(32),
            quote: Some(TransactionQuote {
                asset: "BTC".to_owned(),
                decimals: 8,
                units: "510000".to_owned(),
                rate_micros: 97_312_450_000,
                ..Default::default()
            }),
            ..Default::default()
        }
    }

    /// [D-M9] [MSG-04] A receipt has the holder, the amount, units, rate and hash, and its number; what is not complete is not
    /// called a receipt.
    #[test]
    fn a_receipt_says_what_was_paid_and_in_which_state() {
        let text = text_of(&deposit(TransactionStatus::Success));
        let parts = [
            "(Receipt)",
            "(Deposit TNX-1a2b3c)",
            "(Amara Okafor)",
            "($496,310.05)",
            "(Completed)",
            "(0.0051 BTC)",
            "($97,312.45)",
            &"ab".repeat(32),
            "(SD-1)",
            "(Solvane Ltd., 1 Harbour Row, Dublin, Ireland)",
            "Check it at https://solvane.test/check",
            "(February 1, 2026 at 2:05 PM UTC)",
        ];
        for part in parts {
            assert!(text.contains(part), "{part}");
        }
        let text = text_of(&deposit(TransactionStatus::Pending));
        assert!(text.contains("(Transaction record)") && text.contains("(Pending)") && text.contains("Not a proof"));
        assert!(!text.contains("(Receipt)"));
        let mut other = deposit(TransactionStatus::Success);
        other.claimed_amount_cents = Some(1);
        assert!(!text_of(&other).contains("BTC"), "another amount than quoted was paid");
    }
}
