//! Returns a transaction to staff, with all facts for a decision.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::{MemberId, TransactionId};
use chassis::identity::PayoutState;
use chassis::keys::TrustedKeys;
use chassis::money::Cents;
use time::{Duration, OffsetDateTime};

use crate::domain::destination::Cause;
use crate::domain::disowning::Report;
use crate::domain::limits::{self, COURSE_PRICE, Limits};
use crate::domain::transaction::{Destination, Kind, MethodCopy, Transaction};
use crate::domain::txid::Txid;
use crate::domain::wallet::Wallet;
use crate::error::Error;
use crate::store::destinations::{self, Known};
use crate::store::entries::{self, LedgerEntry};
use crate::store::postings::{self, Reversible};
use crate::store::{accounts, transactions};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub name: &'static str,
    /// Whether it speaks for the transaction.
    pub ok: bool,
    pub detail: String,
    /// Other transactions it concerns.
    pub transaction_ids: Vec<TransactionId>,
}

/// A transaction with what is known about it.
#[derive(Debug, Clone)]
pub struct Review {
    pub transaction: Transaction,
    pub checks: Vec<Check>,
    pub wallet: Wallet,
    /// What it moved, oldest first.
    pub entries: Vec<LedgerEntry>,
    /// What it added to the balance or paid, if that may be reversed or refunded.
    pub reversible: Option<Reversible>,
}

impl Review {
    #[must_use]
    pub fn can_be_reversed(&self) -> bool {
        let is_payment = self.transaction.as_payment().is_some();
        let is_reversible = |posted: &Reversible| posted.reversed_by.is_none() && (is_payment || !posted.is_course());
        self.reversible.as_ref().is_some_and(is_reversible)
    }

    #[must_use]
    pub fn can_be_refunded(&self) -> bool {
        self.reversible.as_ref().is_some_and(|posted| posted.reversed_by.is_none() && posted.is_course())
    }
}

/// The transaction of any member, to know which method it names.
///
/// # Errors
/// `NotFound` if there is no transaction with this id.
pub async fn get(db: &Db, id: TransactionId) -> Result<Transaction, Error> {
    transactions::find_anywhere(&mut *db.conn().await?, id).await?.ok_or(Error::NotFound)
}

/// The facts about a transaction. `current` is its platform method as it is now, and `member` what keeps payouts of the
/// member waiting, if those could be asked.
pub async fn get_review(
    db: &Db,
    (limits, keys): (&Limits, &TrustedKeys),
    transaction: Transaction,
    (current, member): (Option<MethodCopy>, Option<PayoutState>),
) -> Result<Review, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let mut checks = Vec::new();
    if let Some(receipt) = transaction.as_payment().and_then(|payment| payment.receipt.as_ref()) {
        let others = transactions::with_receipt(&mut conn, &receipt.digest, transaction.id).await?;
        checks.push(found_before("receipt_seen_before", "proof of payment", others));
    }
    if transaction.as_withdrawal().is_none_or(|withdrawal| withdrawal.txid.is_some()) {
        checks.push(txid_used_before(&mut conn, &transaction).await?);
    }
    if let Some(payment) = transaction.as_payment() {
        checks.push(address_as_shown(&payment.method, current));
    }
    if let Some(withdrawal) = transaction.as_withdrawal()
        && let (Some(to), Some(destination)) = (withdrawal.payout_address(), &withdrawal.destination)
    {
        let known = destinations::find(&mut conn, transaction.user_id, &to).await?;
        checks.push(destination_confirmed(known, keys));
        checks.push(new_destination(&mut conn, &transaction, destination).await?);
    }
    checks.push(amount_in_limits(&mut conn, limits, &transaction).await?);
    if transaction.as_withdrawal().is_some() {
        checks.push(member_account(member.as_ref(), now));
        checks.extend(member.and_then(|state| activity_disowned(state.disowned_at?, &transaction, now)));
    }
    checks.push(member_history(&mut conn, transaction.user_id).await?);
    let wallet = accounts::wallet(&mut conn, transaction.user_id).await?.ok_or(Error::AccountMissing)?;
    if transaction.as_withdrawal().is_some() {
        checks.push(member_debts(&wallet));
    }
    let entries = entries::of_transaction(&mut conn, &transaction).await?;
    let reversible = postings::reversible(&mut conn, transaction.id).await?;
    Ok(Review { transaction, checks, wallet, entries, reversible })
}

fn found_before(name: &'static str, what: &str, transaction_ids: Vec<TransactionId>) -> Check {
    let detail = match transaction_ids.len() {
        0 => format!("This {what} has not been seen before."),
        1 => format!("This {what} belongs to one other transaction."),
        many => format!("This {what} belongs to {many} other transactions."),
    };
    Check { name, ok: transaction_ids.is_empty(), detail, transaction_ids }
}

async fn txid_used_before(conn: &mut PgConnection, transaction: &Transaction) -> Result<Check, Error> {
    let name = "txid_used_before";
    let Some(text) = transaction.known_txid() else {
        let detail =
            "The member gave no transaction hash. The one entered with the approval must not have been used before.";
        return Ok(Check { name, ok: true, detail: detail.to_owned(), transaction_ids: Vec::new() });
    };
    let key = Txid::key_of(text);
    let others = transactions::with_txid(conn, text, &key, transaction.id).await?;
    let mut check = found_before(name, "transaction hash", others.iter().map(|other| other.id).collect());
    let mut outputs: Vec<_> = others.iter().filter_map(|other| other.vout).collect();
    outputs.sort_unstable();
    for vout in outputs {
        check.detail = format!("{} Output {vout} is used.", check.detail);
    }
    // A member may claim the hash of a payout as that of a payment.
    let is_payout = transaction.as_withdrawal().is_some();
    if others.iter().any(|other| other.is_payout != is_payout) {
        let other = if is_payout { "a payment from outside" } else { "one of our payouts" };
        check.detail = format!("{} It is the hash of {other}.", check.detail);
    }
    Ok(check)
}

fn address_as_shown(shown: &MethodCopy, current: Option<MethodCopy>) -> Check {
    let (address, version) = (&shown.address, shown.version);
    let (ok, detail) = match current {
        // Of one version, each deposit may have an address of its own.
        Some(current) if current.address == *address || current.version == version => {
            (true, format!("The address shown (version {version}) is the one in force."))
        }
        Some(current) => (
            false,
            format!(
                "The member was shown {address} (version {version}); in force now is {} (version {}).",
                current.address, current.version
            ),
        ),
        None => (false, format!("The member was shown {address} (version {version}); the method could not be loaded.")),
    };
    Check { name: "address_as_shown", ok, detail, transaction_ids: Vec::new() }
}

/// Whether the member confirmed the destination: without that nothing is approved (D-A4).
fn destination_confirmed(known: Option<Known>, keys: &TrustedKeys) -> Check {
    let ok = known.as_ref().is_some_and(|known| known.is_signed(keys));
    let detail = match known {
        Some(_) if !ok => {
            "The stored confirmation is not what the sign-in service signed. Please alert security.".to_owned()
        }
        None => "Waiting for the member's confirmation, which is required for approval.".to_owned(),
        Some(Known { cause, at, .. }) => {
            let how = match cause {
                Cause::Code => "The member confirmed it with an emailed code",
                Cause::Factor => "The member confirmed it with a second factor",
            };
            format!("{how} on {}.", clock::to_text(at))
        }
    };
    Check { name: "destination_confirmed", ok, detail, transaction_ids: Vec::new() }
}

/// Whether the member was paid there before, and whether another member was: a thief sends payouts to a new address, and
/// those of several members to one.
async fn new_destination(
    conn: &mut PgConnection,
    one: &Transaction,
    destination: &Destination,
) -> Result<Check, Error> {
    let (own, others): (Vec<_>, Vec<_>) = transactions::paid_to(conn, destination, one)
        .await?
        .into_iter()
        .partition(|payout| payout.user_id == one.user_id);
    let mut detail = match own.len() {
        0 => "New: the member has never received a payout at this destination.".to_owned(),
        1 => "The member has received one payout at this destination.".to_owned(),
        times => format!("The member has received {times} payouts at this destination."),
    };
    if !others.is_empty() {
        detail = format!("{detail} Another member has received a payout there, too.");
    }
    let ok = !own.is_empty() && others.is_empty();
    let concerned = if others.is_empty() { own } else { others };
    let transaction_ids = concerned.into_iter().map(|payout| payout.id).collect();
    Ok(Check { name: "new_destination", ok, detail, transaction_ids })
}

/// The amount of the request against what is accepted, and against what arrived once that is known.
async fn amount_in_limits(conn: &mut PgConnection, limits: &Limits, transaction: &Transaction) -> Result<Check, Error> {
    let claimed = transaction.as_payment().and_then(|payment| payment.claimed_amount);
    let amount = claimed.unwrap_or(transaction.amount);
    let (ok, mut detail) = match transaction.kind() {
        Kind::Deposit => {
            let (min, max) = (limits.deposit_min, limits.deposit_max);
            let ok = limits.check_deposit(amount).is_ok();
            (ok, format!("The member claimed {amount}; deposits from {min} to {max} are accepted."))
        }
        Kind::Withdrawal => {
            let (min, max) = (limits.withdrawal_min, limits.withdrawal_max);
            let ok = limits.check_withdrawal(amount).is_ok();
            let rest = if amount < min { " Less is accepted once in 30 days, as the whole balance." } else { "" };
            (ok, format!("The member asked for {amount}; withdrawals from {min} to {max} are accepted.{rest}"))
        }
        Kind::Course => {
            let ok = limits::check_course(amount).is_ok();
            (ok, format!("The member claimed {amount}; the course costs {COURSE_PRICE}."))
        }
        Kind::Fee => amount_of_fee(conn, amount, transaction).await?,
        _ => (true, format!("{amount} was booked by the ledger.")),
    };
    if transaction.amount != amount {
        detail = format!("{detail} {} arrived.", transaction.amount);
    }
    Ok(Check { name: "amount_in_limits", ok, detail, transaction_ids: Vec::new() })
}

async fn amount_of_fee(
    conn: &mut PgConnection,
    claimed: Cents,
    payment: &Transaction,
) -> Result<(bool, String), Error> {
    let withdrawal = match payment.related_id() {
        Some(id) => transactions::find(conn, id.into()).await?,
        None => None,
    };
    let due = withdrawal.as_ref().and_then(Transaction::as_withdrawal).map(|withdrawal| withdrawal.fee);
    let due_in_words = due.map_or_else(|| "unknown".to_owned(), |fee| fee.to_string());
    Ok((due == Some(claimed), format!("The member claimed {claimed}; the fee of the withdrawal is {due_in_words}.")))
}

/// How long a change of the account is shown in the checklist (D-A5).
const RECENT: Duration = Duration::hours(72);

/// Whether the account lets a payout go on, and what happened to it lately.
fn member_account(state: Option<&PayoutState>, now: OffsetDateTime) -> Check {
    let name = "member_account";
    let Some(state) = state else {
        let detail = "The member's account could not be loaded.".to_owned();
        return Check { name, ok: false, detail, transaction_ids: Vec::new() };
    };
    let mut found = Vec::new();
    if state.frozen {
        found.push("The account is frozen.".to_owned());
    }
    if state.stopped {
        found.push("Payouts are paused until the member sets a new password.".to_owned());
    }
    if let Some(at) = state.not_before.filter(|at| *at > now) {
        found.push(format!("Payouts wait until {}.", clock::to_text(at)));
    }
    let events = [
        ("The email was changed", state.email_changed_at),
        ("The password was changed", state.password_changed_at),
        ("A second factor was changed", state.factors_changed_at),
        ("The member logged in from a new device", state.new_device_at),
    ];
    let recent = events.into_iter().filter_map(|(what, at)| Some((what, at.filter(|at| *at + RECENT > now)?)));
    found.extend(recent.map(|(what, at)| format!("{what} on {}.", clock::to_text(at))));
    let ok = found.is_empty();
    let detail = if ok { "No changes within 72 hours.".to_owned() } else { found.join(" ") };
    Check { name, ok, detail, transaction_ids: Vec::new() }
}

/// What the member owes since a payment was reversed, and what staff set aside.
fn member_debts(wallet: &Wallet) -> Check {
    let mut found = Vec::new();
    if wallet.owed > Cents::ZERO {
        found.push(format!("The member owes {}: a payment was reversed. Nothing is paid out meanwhile.", wallet.owed));
    }
    found.extend(wallet.holds.iter().map(|hold| format!("{} is on hold ({}).", hold.amount, hold.reason.into_str())));
    let ok = found.is_empty();
    let detail = if ok { "The member owes nothing, and nothing is on hold.".to_owned() } else { found.join(" ") };
    Check { name: "member_debts", ok, detail, transaction_ids: Vec::new() }
}

/// How long a report of foreign activity is shown in the checklist.
const REPORT_SHOWN: Duration = Duration::days(30);

/// The member's report that someone else used the account, while it is recent or about this withdrawal (D-M10).
fn activity_disowned(at: OffsetDateTime, one: &Transaction, now: OffsetDateTime) -> Option<Check> {
    let is_covered = Report { at }.covers(one);
    if !is_covered && at + REPORT_SHOWN <= now {
        return None;
    }
    let about = if is_covered {
        "This withdrawal is from that time: reject it, unless it was already paid."
    } else if one.created_at > at {
        "This withdrawal was requested afterwards."
    } else {
        "This withdrawal was requested and its destination confirmed more than 72 hours before."
    };
    let detail = format!("The member reported on {} that someone else used the account. {about}", clock::to_text(at));
    Some(Check { name: "activity_disowned", ok: false, detail, transaction_ids: Vec::new() })
}

/// How the member's payments and withdrawals ended so far. A rejection counts for a year, or until five good deposits since.
async fn member_history(conn: &mut PgConnection, user_id: MemberId) -> Result<Check, Error> {
    let track = transactions::track(conn, user_id).await?;
    let since = track.since.map_or_else(|| "now".to_owned(), |at| at.date().to_string());
    let old = if track.rejected > track.lately_rejected {
        " Rejections older than a year, or before five good deposits, do not count any more."
    } else {
        ""
    };
    let detail = format!("Active since {since}: {} confirmed, {} rejected.{old}", track.confirmed, track.rejected);
    Ok(Check { name: "member_history", ok: track.lately_rejected == 0, detail, transaction_ids: Vec::new() })
}
