//! Conversion between proto messages and the domain.

use chassis::clock;
use chassis::error::Refusal;
use chassis::id::{MemberId, QuoteId, TransactionId};
use chassis::money::{Cents, Units};
use proto::common::v1 as common;
use proto::wallet::v1 as message;

use crate::app::account::get_balances::Balances;
use crate::app::ledger::get_integrity::Integrity;
use crate::app::review::get_figures::Figures;
use crate::app::review::get_queue::Queue;
use crate::app::review::get_review::Check;
use crate::app::transaction::get_year_report::YearReport;
use crate::app::withdrawal::ask_confirmation::Subject;
use crate::domain::correction::CorrectionKind;
use crate::domain::destination::PayoutAddress;
use crate::domain::hold::{Hold, HoldReason};
use crate::domain::limits::{Allowance, COURSE_PRICE, FEE_BASIS_POINTS, Limits, Rest, TWO_PEOPLE_FROM};
use crate::domain::payout_correction::Outcome;
use crate::domain::steps::{self, Chain, Known, Shown, Step, StepState};
use crate::domain::transaction::{
    Destination, Direction, Kind, MethodCopy, PayoutPrice, Purpose, QuoteCopy, QuoteDirection, Receipt, Status,
    Transaction,
};
use crate::domain::txid::Txid;
use crate::domain::wallet::Wallet;
use crate::error::Error;
use crate::store::entries::{LedgerEntry, Movement};
use crate::store::figures;
use crate::store::ledger_checks::Fault;
use crate::store::postings::JournalPosting;
use crate::store::times::HandlingTime;
use crate::store::trade_fundings::{PlanResult, TradeResult};
use crate::store::transactions::Waiting;

/// Bytes of a payment method's name: those of an id, which is longer than any currency code.
const METHOD_LENGTH: usize = 36;
/// What the list of the specification's screens needs of a receipt.
const RECEIPT_TYPES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf"];

/// The id of a transaction; a malformed one is unknown.
pub fn transaction_id(text: &str) -> Result<TransactionId, Error> {
    text.parse().map_err(|_| Error::NotFound)
}

/// The id of a member; a malformed one is unknown.
pub fn member_id(text: &str) -> Result<MemberId, Error> {
    text.parse().map_err(|_| Error::NotFound)
}

/// The open withdrawal whose destination is confirmed.
pub fn withdrawal_subject(text: &str) -> Result<Subject, Error> {
    Ok(Subject::Withdrawal(transaction_id(text)?))
}

/// The saved method whose destination is confirmed.
pub fn method_subject(text: &str) -> Result<Subject, Error> {
    text.parse().map(Subject::Method).map_err(|_| Error::MethodNotFound)
}

/// A proof of payment, which must be there.
pub fn receipt(found: Option<message::Receipt>) -> Result<Receipt, Refusal> {
    let found = found.unwrap_or_default();
    if found.key.is_empty() || found.digest.len() != 32 {
        return Err(Refusal::field("receipt", "Please fill in all required fields"));
    }
    if !RECEIPT_TYPES.contains(&found.content_type.as_str()) {
        return Err(Refusal::field("receipt", "The proof must be a PNG, JPEG, WebP or GIF image or a PDF."));
    }
    Ok(Receipt { key: found.key, content_type: found.content_type, digest: found.digest })
}

/// The key of a receipt that is about to be stored.
pub fn receipt_key(key: String) -> Result<String, Refusal> {
    let printable = key.bytes().all(|byte| byte.is_ascii_graphic());
    if (1..=200).contains(&key.len()) && printable {
        Ok(key)
    } else {
        Err(Refusal::field("receipt", "The proof could not be used"))
    }
}

/// The hash of a payment of this transaction, empty for none, and which outputs of it.
pub fn txid(one: &Transaction, text: &str, outputs: impl IntoIterator<Item = u32>) -> Result<Option<Txid>, Refusal> {
    let network = one.method().map(|method| method.network.as_str()).unwrap_or_default();
    let mut outputs = outputs.into_iter().peekable();
    match Txid::parse_optional(text, network)? {
        None if outputs.peek().is_some() => {
            Err(Refusal::field("txid", "Please enter the transaction hash of this output."))
        }
        found => Ok(found.map(|txid| txid.at(outputs))),
    }
}

/// What a payment by deposit is for.
pub fn purpose(text: &str) -> Result<Purpose, Refusal> {
    match text {
        "deposit" => Ok(Purpose::Deposit),
        "course" => Ok(Purpose::Course),
        _ => Err(Refusal::field("type", "The type must be deposit or course.")),
    }
}

/// The name of a payment method: an id or a currency code.
pub fn method(text: &str) -> Result<String, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::field("method", "Please fill in all required fields"));
    }
    if text.len() > METHOD_LENGTH {
        return Err(Refusal::field("method", "Please choose a payment method."));
    }
    Ok(text.to_owned())
}

/// What a quote is asked for.
pub fn quote_direction(direction: common::QuoteDirection) -> Result<QuoteDirection, Refusal> {
    match direction {
        common::QuoteDirection::Deposit => Ok(QuoteDirection::Deposit),
        common::QuoteDirection::Withdrawal => Ok(QuoteDirection::Withdrawal),
        common::QuoteDirection::Unspecified => Err(Refusal::field("direction", "Choose a deposit or a withdrawal.")),
    }
}

/// The quote that a request names, if it names one.
pub fn quote_id(text: &str) -> Result<Option<QuoteId>, Error> {
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| Error::QuoteNotFound) }
}

/// Characters of an address as it is pasted, with the link or the payment URI around it.
const PASTED: usize = 512;

/// A destination as the member typed it; may be empty unless required. Which part of it is the address is payment-method's to say.
pub fn destination(address: &str, memo: &str, needed: bool) -> Result<Destination, Refusal> {
    let (address, memo) = (address.trim(), memo.trim());
    let well_formed = (10..=PASTED).contains(&address.chars().count());
    if (needed || !address.is_empty()) && !well_formed {
        return Err(Refusal::field("address", "Please enter a valid wallet address"));
    }
    if memo.chars().count() > 128 || memo.contains(char::is_control) {
        return Err(Refusal::field("memo", "Please enter a memo of at most 128 characters."));
    }
    Ok(Destination { address: address.to_owned(), memo: memo.to_owned() })
}

pub fn kind_filter(value: i32) -> Result<Option<Kind>, Refusal> {
    use message::TransactionKind as Wire;
    let kind = match Wire::try_from(value).map_err(|_| Refusal::field("kind", "This kind does not exist."))? {
        Wire::Unspecified => return Ok(None),
        Wire::Deposit => Kind::Deposit,
        Wire::Withdrawal => Kind::Withdrawal,
        Wire::Trade => Kind::Trade,
        Wire::Profit => Kind::Profit,
        Wire::Course => Kind::Course,
        Wire::Bonus => Kind::Bonus,
        Wire::Fee => Kind::Fee,
        Wire::Adjustment => Kind::Adjustment,
    };
    Ok(Some(kind))
}

pub fn status_filter(value: i32) -> Result<Option<Status>, Refusal> {
    use message::TransactionStatus as Wire;
    let status = match Wire::try_from(value).map_err(|_| Refusal::field("status", "This status does not exist."))? {
        Wire::Unspecified => return Ok(None),
        Wire::Pending => Status::Pending,
        Wire::Success => Status::Success,
        Wire::Failed => Status::Failed,
    };
    Ok(Some(status))
}

pub fn correction_kind(value: i32) -> Result<CorrectionKind, Refusal> {
    use message::CorrectionKind as Wire;
    match Wire::try_from(value) {
        Ok(Wire::Bonus) => Ok(CorrectionKind::Bonus),
        Ok(Wire::Release) => Ok(CorrectionKind::Release),
        Ok(Wire::AdjustmentCredit) => Ok(CorrectionKind::AdjustmentCredit),
        Ok(Wire::AdjustmentDebit) => Ok(CorrectionKind::AdjustmentDebit),
        _ => Err(Refusal::field("type", "The type must be credit or debit.")),
    }
}

pub fn payout_outcome(value: i32) -> Result<Outcome, Refusal> {
    use message::PayoutOutcome as Wire;
    match Wire::try_from(value) {
        Ok(Wire::OtherTransaction) => Ok(Outcome::OtherTransaction),
        Ok(Wire::NotSent) => Ok(Outcome::NotSent),
        Ok(Wire::Arrived) => Ok(Outcome::Arrived),
        _ => Err(Refusal::field("outcome", "Please choose what became of the payout.")),
    }
}

pub fn hold_reason(text: &str) -> Result<HoldReason, Refusal> {
    text.parse().map_err(|_| Refusal::field("reasonCode", "Please choose one of the reasons."))
}

/// The title of a movement: that of its line, or what moved it.
fn movement_title(posting_kind: &str, transaction_kind: Option<&str>) -> String {
    let kind = transaction_kind.and_then(|kind| kind.parse::<Kind>().ok());
    match (kind, posting_kind) {
        (Some(kind), _) => kind.title().to_owned(),
        (None, "hold") => "On hold".to_owned(),
        (None, "hold_release") => "Hold released".to_owned(),
        (None, "bonus_given_up") => "Bonus given up".to_owned(),
        (None, other) => other.to_owned(),
    }
}

impl From<Wallet> for message::Wallet {
    fn from(wallet: Wallet) -> Self {
        Self {
            user_id: wallet.user_id.to_string(),
            available_cents: wallet.available.get(),
            held_cents: wallet.held.get(),
            bonus_cents: wallet.bonus.get(),
            invested_cents: wallet.invested.get(),
            on_hold_cents: wallet.on_hold.get(),
            owed_cents: wallet.owed.get(),
            holds: wallet.holds.into_iter().map(Into::into).collect(),
            is_withdrawal_pending: wallet.is_withdrawal_pending,
            has_purchased_course: wallet.has_purchased_course,
            is_course_payment_pending: wallet.is_course_payment_pending,
        }
    }
}

impl From<Hold> for message::Hold {
    fn from(hold: Hold) -> Self {
        Self {
            id: hold.id.to_string(),
            amount_cents: hold.amount.get(),
            reason_code: hold.reason.into_str().to_owned(),
            reason: hold.reason.sentence().to_owned(),
            created_at: Some(clock::to_proto(hold.placed_at)),
            placed_by: hold.placed_by.to_string(),
        }
    }
}

/// A member's wallet as the member sees it: without the names of staff.
pub fn own_wallet(wallet: Wallet) -> message::Wallet {
    let mut wallet = message::Wallet::from(wallet);
    for hold in &mut wallet.holds {
        hold.placed_by.clear();
    }
    wallet
}

impl From<message::PayoutAddress> for PayoutAddress {
    fn from(to: message::PayoutAddress) -> Self {
        Self { currency: to.currency, network: to.network, address: to.address, memo: to.memo }
    }
}

impl From<Kind> for message::TransactionKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Deposit => Self::Deposit,
            Kind::Withdrawal => Self::Withdrawal,
            Kind::Trade => Self::Trade,
            Kind::Profit => Self::Profit,
            Kind::Course => Self::Course,
            Kind::Bonus => Self::Bonus,
            Kind::Fee => Self::Fee,
            Kind::Adjustment => Self::Adjustment,
        }
    }
}

impl From<Status> for message::TransactionStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Pending => Self::Pending,
            Status::Success => Self::Success,
            Status::Failed => Self::Failed,
        }
    }
}

impl From<Direction> for message::Direction {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Credit => Self::Credit,
            Direction::Debit => Self::Debit,
        }
    }
}

impl From<MethodCopy> for message::MethodCopy {
    fn from(method: MethodCopy) -> Self {
        Self {
            id: method.id.to_string(),
            currency: method.currency,
            network: method.network,
            address: method.address,
            memo: method.memo,
            version: method.version,
        }
    }
}

impl From<Step> for message::Step {
    fn from(step: Step) -> Self {
        let state = match step.state {
            StepState::Done => message::StepState::Done,
            StepState::Current => message::StepState::Current,
            StepState::Next => message::StepState::Next,
            StepState::Failed => message::StepState::Failed,
        };
        Self {
            key: step.key.into_str().to_owned(),
            state: state.into(),
            at: step.at.map(clock::to_proto),
            expected_by: step.expected_by.map(clock::to_proto),
            note: step.note.unwrap_or_default(),
        }
    }
}

/// What the chain shows, as the steps of a payment need it.
pub fn chain(evidence: &common::ChainEvidence) -> Chain {
    let moment = |at: &Option<_>| at.as_ref().and_then(clock::from_proto);
    let shown = evidence.payments.first().and_then(|payment| {
        Some(Shown {
            asset: payment.asset.clone(),
            units: Units::parse(&payment.units).ok()?,
            decimals: payment.decimals.try_into().ok()?,
            state: payment.state.clone(),
            confirmations: payment.confirmations,
            confirmations_needed: payment.confirmations_needed,
            seen_at: moment(&payment.seen_at),
        })
    });
    Chain { observed_at: moment(&evidence.at), shown }
}

/// A transaction with its steps by what is known beside it.
pub fn line(one: Transaction, known: &Known) -> message::Transaction {
    let steps = steps::steps(&one, known).into_iter().map(Into::into).collect();
    let (payment, withdrawal) = (one.as_payment(), one.as_withdrawal());
    let receipt = payment.and_then(|payment| payment.receipt.clone());
    let (receipt_key, receipt_content_type) = receipt.map(|found| (found.key, found.content_type)).unwrap_or_default();
    let (text, vout) = (one.txid().map(|txid| txid.text.clone()), one.txid().and_then(Txid::vout));
    let first_approval = one.first_approval().map(|first| message::FirstApproval {
        reviewer_id: first.by.to_string(),
        at: Some(clock::to_proto(first.at)),
        received_amount_cents: first.received.get(),
        txid: text.clone().unwrap_or_default(),
        vout,
    });
    // What the first of two reviewers saw is not decided.
    let (text, vout) = if first_approval.is_some() { (None, None) } else { (text, vout) };
    let destination = withdrawal.and_then(|withdrawal| withdrawal.destination.clone());
    message::Transaction {
        id: one.id.to_string(),
        user_id: one.user_id.to_string(),
        kind: message::TransactionKind::from(one.kind()).into(),
        title: one.kind().title().to_owned(),
        status: message::TransactionStatus::from(one.status).into(),
        direction: message::Direction::from(one.direction()).into(),
        amount_cents: one.amount.get(),
        claimed_amount_cents: payment.and_then(|payment| payment.claimed_amount).map(Cents::get),
        fee_cents: withdrawal.map(|withdrawal| withdrawal.fee.get()),
        net_amount_cents: withdrawal.map(|withdrawal| withdrawal.net_amount.get()),
        fee_paid: withdrawal.is_some_and(|withdrawal| withdrawal.fee_paid),
        needs_destination: one.needs_destination(),
        receipt_key,
        receipt_content_type,
        reason_code: one.reason_code.clone().unwrap_or_default(),
        created_at: Some(clock::to_proto(one.created_at)),
        decided_at: one.decided_at.map(clock::to_proto),
        revision: one.revision,
        approved: withdrawal.is_some_and(|withdrawal| withdrawal.approval.is_some()),
        related_id: one.related_id().map(|id| id.to_string()).unwrap_or_default(),
        description: one.description.clone(),
        method: one.method().cloned().map(Into::into),
        destination: destination.map(|found| message::Destination { address: found.address, memo: found.memo }),
        txid: text.or_else(|| payment?.claimed_txid.clone()).unwrap_or_default(),
        vout,
        not_before: None,
        needs_confirmation: one.needs_confirmation(),
        paying: withdrawal.and_then(|withdrawal| withdrawal.paying).map(|lease| message::PayoutLease {
            treasurer_id: lease.by.to_string(),
            until: Some(clock::to_proto(lease.until)),
        }),
        first_approval,
        quote: one.quote().cloned().map(Into::into),
        payout: withdrawal.and_then(|withdrawal| withdrawal.price.clone()).map(Into::into),
        sent_at: withdrawal.and_then(|withdrawal| withdrawal.sent).map(|sent| clock::to_proto(sent.at)),
        steps,
    }
}

impl From<Transaction> for message::Transaction {
    fn from(one: Transaction) -> Self {
        line(one, &Known::default())
    }
}

impl From<PayoutPrice> for message::PayoutPrice {
    fn from(price: PayoutPrice) -> Self {
        Self {
            asset: price.asset,
            contract: price.contract,
            decimals: price.conversion.decimals.into(),
            units: price.units.to_string(),
            rate_micros: price.conversion.rate.micros(),
            spread_bps: price.conversion.spread_bps.into(),
            at: Some(clock::to_proto(price.at)),
        }
    }
}

impl From<QuoteCopy> for message::TransactionQuote {
    fn from(quote: QuoteCopy) -> Self {
        Self {
            id: quote.id.to_string(),
            asset: quote.asset,
            decimals: quote.conversion.decimals.into(),
            units: quote.units.to_string(),
            rate_micros: quote.conversion.rate.micros(),
            spread_bps: quote.conversion.spread_bps.into(),
            at: Some(clock::to_proto(quote.at)),
            expires_at: Some(clock::to_proto(quote.expires_at)),
        }
    }
}

impl From<Movement> for message::StatementLine {
    fn from(movement: Movement) -> Self {
        Self {
            at: Some(clock::to_proto(movement.at)),
            title: movement_title(&movement.posting_kind, movement.transaction_kind.as_deref()),
            transaction_id: movement.transaction_id.map(|id| id.to_string()).unwrap_or_default(),
            amount_cents: movement.amount.get(),
            balance_cents: movement.balance.get(),
            description: movement.description.unwrap_or_default(),
            fee_cents: movement.fee.map(Cents::get),
            decimals: movement.decimals.unwrap_or_default().into(),
            asset: movement.units.as_ref().and(movement.asset).unwrap_or_default(),
            units: movement.units.unwrap_or_default(),
            rate_micros: movement.rate_micros.unwrap_or_default(),
            network: movement.network.unwrap_or_default(),
            txid: movement.txid.unwrap_or_default(),
        }
    }
}

impl TryFrom<YearReport> for message::GetYearReportResponse {
    type Error = Error;

    fn try_from(report: YearReport) -> Result<Self, Error> {
        let mut sums: Vec<message::YearSum> = Vec::new();
        for sum in report.sums {
            let title = movement_title(&sum.posting_kind, sum.transaction_kind.as_deref());
            let known = sums.iter().position(|known| known.title == title).unwrap_or_else(|| {
                sums.push(message::YearSum { title, ..Default::default() });
                sums.len() - 1
            });
            let known = &mut sums[known];
            known.in_cents = Cents::new(known.in_cents).plus(sum.into)?.get();
            known.out_cents = Cents::new(known.out_cents).plus(sum.out)?.get();
            known.count += sum.count;
        }
        Ok(Self {
            until: Some(clock::to_proto(report.until)),
            opening_balance_cents: report.opening.get(),
            closing_balance_cents: report.closing.get(),
            sums,
            withdrawal_fees_cents: report.fees.0.get(),
            separate_fees_cents: report.fees.1.get(),
            plans: report.plans.into_iter().map(Into::into).collect(),
            trades: report.trades.into_iter().map(Into::into).collect(),
            balances: report.balances.into_iter().map(balance).collect(),
        })
    }
}

impl From<PlanResult> for message::PlanResult {
    fn from(plan: PlanResult) -> Self {
        Self {
            plan_title: plan.plan_title,
            trades: plan.trades,
            invested_cents: plan.invested.get(),
            paid_cents: plan.paid.get(),
            gains_cents: plan.gains.get(),
            losses_cents: plan.losses.get(),
        }
    }
}

impl From<TradeResult> for message::TradeResult {
    fn from(trade: TradeResult) -> Self {
        Self {
            trade_id: trade.trade_id.to_string(),
            plan_title: trade.plan_title,
            amount_cents: trade.amount.get(),
            paid_cents: trade.paid.get(),
            opened_at: Some(clock::to_proto(trade.opened_at)),
            ended_at: Some(clock::to_proto(trade.ended_at)),
        }
    }
}

impl From<Waiting> for message::QueueCount {
    fn from(waiting: Waiting) -> Self {
        Self {
            kind: waiting.kind,
            count: i32::try_from(waiting.count).unwrap_or(i32::MAX),
            oldest_at: waiting.oldest_at.map(clock::to_proto),
        }
    }
}

impl From<HandlingTime> for message::HandlingTime {
    fn from(time: HandlingTime) -> Self {
        Self { kind: time.kind, median_seconds: time.median_seconds, p90_seconds: time.p90_seconds }
    }
}

impl From<Queue> for message::GetQueueResponse {
    fn from(queue: Queue) -> Self {
        Self {
            counts: queue.waiting.into_iter().map(Into::into).collect(),
            times: queue.times.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<&Figures> for message::GetFiguresResponse {
    fn from(figures: &Figures) -> Self {
        let count = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
        let day = |one: &figures::Day| message::DayFigures {
            day: one.day.to_string(),
            in_cents: one.in_cents,
            out_cents: one.out_cents,
            fee_revenue_cents: one.fee_revenue_cents,
            course_revenue_cents: one.course_revenue_cents,
            course_sales: count(one.course_sales),
        };
        let waiting = |one: &figures::Waiting| message::WaitingFigures {
            kind: one.kind.clone(),
            decision: one.decision.clone(),
            count: count(one.count),
            median_seconds: one.median_seconds,
            p90_seconds: one.p90_seconds,
        };
        let person = |one: &figures::Person| message::PersonFigures {
            staff_id: one.staff_id.to_string(),
            approved: count(one.approved),
            rejected: count(one.rejected),
            paid: count(one.paid),
            median_seconds: one.median_seconds,
        };
        let open = |one: &figures::Open| message::OpenFigures {
            kind: one.kind.clone(),
            within_hour: count(one.within_hour),
            within_four_hours: count(one.within_four_hours),
            within_day: count(one.within_day),
            older: count(one.older),
        };
        Self {
            days: figures.days.iter().map(day).collect(),
            waiting: figures.waiting.iter().map(waiting).collect(),
            people: figures.people.iter().map(person).collect(),
            open: figures.open.iter().map(open).collect(),
            as_of: None,
        }
    }
}

impl From<Check> for message::Check {
    fn from(check: Check) -> Self {
        Self {
            name: check.name.to_owned(),
            ok: check.ok,
            state: if check.ok { "ok" } else { "warn" }.to_owned(),
            detail: check.detail,
            transaction_ids: check.transaction_ids.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<JournalPosting> for message::Posting {
    fn from(posting: JournalPosting) -> Self {
        let entry = |(account, amount): (String, Cents)| message::PostingEntry { account, amount_cents: amount.get() };
        Self {
            id: posting.place.id,
            kind: posting.kind,
            cause_type: posting.cause_type,
            cause_id: posting.cause_id.to_string(),
            member_id: posting.user_id.to_string(),
            at: Some(clock::to_proto(posting.at)),
            entries: posting.entries.into_iter().map(entry).collect(),
            reverses: posting.reverses.unwrap_or_default(),
        }
    }
}

fn balance((account, amount): (String, Cents)) -> message::AccountBalance {
    message::AccountBalance { account, amount_cents: amount.get() }
}

impl From<Balances> for message::GetBalancesResponse {
    fn from(found: Balances) -> Self {
        Self { at: Some(clock::to_proto(found.at)), balances: found.accounts.into_iter().map(balance).collect() }
    }
}

impl From<&Limits> for message::GetTermsResponse {
    fn from(limits: &Limits) -> Self {
        let allowance = |one: Allowance| message::Allowance {
            period_hours: i32::try_from(one.period.whole_hours()).unwrap_or(i32::MAX),
            amount_cents: one.amount.get(),
        };
        Self {
            deposit_min_cents: limits.deposit_min.get(),
            deposit_max_cents: limits.deposit_max.get(),
            pending_deposits_max: i32::try_from(limits.pending_deposits).unwrap_or(i32::MAX),
            withdrawal_min_cents: limits.withdrawal_min.get(),
            withdrawal_max_cents: limits.withdrawal_max.get(),
            fee_basis_points: i32::try_from(FEE_BASIS_POINTS).unwrap_or_default(),
            course_price_cents: COURSE_PRICE.get(),
            withdrawal_allowances: limits.allowances.map(allowance).into(),
            rest: None,
            two_people_from_cents: TWO_PEOPLE_FROM.get(),
        }
    }
}

impl From<Rest> for message::WithdrawalRest {
    fn from(rest: Rest) -> Self {
        Self { left_cents: rest.left.get(), available_at: rest.available_at.map(clock::to_proto) }
    }
}

impl From<LedgerEntry> for message::LedgerEntry {
    fn from(entry: LedgerEntry) -> Self {
        Self {
            posting_id: entry.posting_id,
            account: entry.account,
            amount_cents: entry.amount.get(),
            balance_cents: entry.balance.get(),
            kind: entry.kind,
            at: Some(clock::to_proto(entry.at)),
        }
    }
}

impl From<Integrity> for message::GetIntegrityResponse {
    fn from(found: Integrity) -> Self {
        Self {
            trial_balance_cents: found.books.trial_balance.get(),
            drift_cents: found.drift_cents(),
            available_cents: found.books.available.get(),
            held_cents: found.books.held.get(),
            invested_cents: found.books.invested.get(),
            bonus_cents: found.books.bonus.get(),
            on_hold_cents: found.books.on_hold.get(),
            owed_cents: found.books.owed.get(),
            solvency: None,
            holdings_cents: found.books.holdings.get(),
            pool_cents: found.books.pool.get(),
            outbox_oldest_seconds: found.outbox_oldest_seconds,
            dead_letters: found.dead_letters,
            ok: found.ok(),
            withdrawals_stopped: found.pause.is_some(),
            checked_at: found.check.checked_at.map(clock::to_proto),
            walked_at: found.check.walked_at.map(clock::to_proto),
            stopped_at: found.pause.as_ref().map(|pause| clock::to_proto(pause.stopped_at)),
            stop_reason: found.pause.map(|pause| pause.reason).unwrap_or_default(),
            faults: found.faults.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Fault> for message::LedgerFault {
    fn from(fault: Fault) -> Self {
        Self {
            subject: fault.subject,
            subject_id: fault.subject_id,
            detail: fault.detail,
            found_at: Some(clock::to_proto(fault.found_at)),
        }
    }
}
