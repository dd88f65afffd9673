//! Events of the other services, and the emails and notices they trigger.

use chassis::id::UserId;
use std::sync::Arc;

use async_trait::async_trait;
use chassis::bus::{Effect, Event, HandleError, Handler};
use chassis::clock::{from_proto, to_text};
use chassis::db::PgConnection;
use chassis::dead_letter;
use chassis::inbox;
use chassis::money::Cents;
use prost::Message;
use proto::auth::v1 as auth;
use proto::cases::v1 as cases;
use proto::payment_method::v1 as payment_method;
use proto::trade::v1 as trade;
use proto::wallet::v1 as wallet;
use uuid::Uuid;

use crate::app::accept_event::{AcceptEvent, Addressed};
use crate::domain::mail::{Audience, MailRequest};
use crate::domain::notice::{Facts, NoticeRequest};
use crate::domain::push::Ended;
use crate::domain::template::Template;
use crate::error::Error;
use crate::events::published::LiveNotices;

pub const QUEUE: &str = "mailer.events";
/// Of a payment by deposit, when it is one for the course.
const COURSE: &str = "course";

/// Takes up every event of the queue.
pub struct Consumer {
    pub accept: Arc<AcceptEvent>,
    pub live: LiveNotices,
}

#[async_trait]
impl Effect for Addressed {
    async fn apply(&self, conn: &mut PgConnection) -> Result<(), HandleError> {
        Ok(self.queue(conn).await?)
    }
}

#[async_trait]
impl Handler for Consumer {
    async fn handle(&self, event: &Event) -> Result<(), HandleError> {
        inbox::take_effect(&self.accept.db, self, event).await
    }

    async fn after(&self, event: &Event) -> Result<(), HandleError> {
        self.accept.queued.notify_one();
        if let Some(notice) = NoticeRequest::beside(&mail_requests(event)?) {
            self.live.added(notice.user_id);
        }
        Ok(())
    }

    async fn prepare(&self, event: &Event) -> Result<Box<dyn Effect>, HandleError> {
        let requests = mail_requests(event)?;
        Ok(Box::new(self.accept.address_all(event, requests, ended(event)?).await?))
    }

    async fn keep_dead_letter(&self, id: &str, key: &str, payload: &[u8], cause: &str) -> Result<(), sqlx::Error> {
        dead_letter::keep(&mut *self.accept.db.conn().await?, id, key, payload, cause).await
    }
}

/// The mails that an event asks for; none for events without a mail, those of a newer build included.
///
/// # Errors
/// Unreadable if the message is not what its key says.
pub fn mail_requests(event: &Event) -> Result<Vec<MailRequest>, Error> {
    let requests = match event.key.split_once('.') {
        Some(("auth", _)) => of_auth(event)?,
        Some(("wallet", _)) => of_wallet(event)?,
        Some(("trade", _)) => of_trade(event)?,
        Some(("payment_method", _)) => of_payment_method(event)?,
        Some(("cases", _)) => of_cases(event)?,
        _ => Vec::new(),
    };
    Ok(requests.into_iter().map(|request| request.with("at", to_text(event.at))).collect())
}

/// The sessions that an event ended.
fn ended(event: &Event) -> Result<Option<Ended>, Error> {
    if event.key != "auth.v1.session_ended" {
        return Ok(None);
    }
    let auth::SessionEnded { session_ids, all_of_user_id, except_session_id } = read(event)?;
    let session = |id: &String| id.parse().map_err(|_| unreadable(event, "no session id"));
    if all_of_user_id.is_empty() {
        return Ok(Some(Ended::Sessions(session_ids.iter().map(session).collect::<Result<_, _>>()?)));
    }
    let except = Some(except_session_id).filter(|id| !id.is_empty());
    Ok(Some(Ended::AllOf(account(&all_of_user_id)?, except.as_ref().map(session).transpose()?)))
}

fn of_auth(event: &Event) -> Result<Vec<MailRequest>, Error> {
    Ok(match event.key.as_str() {
        "auth.v1.verification_code_issued" => {
            let auth::VerificationCodeIssued { reference, user_id } = read(event)?;
            vec![secret(Template::VerificationCode, &user_id, reference)?]
        }
        "auth.v1.destination_code_issued" => {
            let facts: auth::DestinationCodeIssued = read(event)?;
            let request = secret(Template::DestinationCode, &facts.user_id, facts.reference)?
                .with("currency", facts.currency)
                .with("network", facts.network)
                .with("address", facts.address)
                .with("memo", facts.memo);
            vec![request]
        }
        "auth.v1.password_reset_requested" => {
            let auth::PasswordResetRequested { reference, user_id } = read(event)?;
            vec![secret(Template::ResetLink, &user_id, reference)?]
        }
        "auth.v1.staff_invited" => {
            let auth::StaffInvited { reference, user_id, role } = read(event)?;
            vec![secret(Template::StaffInvited, &user_id, reference)?.with("role", role)]
        }
        "auth.v1.staff_changed" => vec![staff_changed(read(event)?)?],
        "auth.v1.password_changed" => {
            let auth::PasswordChanged { user_id, link_reference } = read(event)?;
            vec![to(Template::PasswordChanged, &user_id)?.with_link(link_reference)]
        }
        "auth.v1.second_factor_changed" => {
            let facts: auth::SecondFactorChanged = read(event)?;
            let request = to(Template::SecondFactorChanged, &facts.user_id)?
                .noticed(Facts { change: facts.change.clone(), ..origin(&facts.device, &facts.address_block) })
                .with("change", facts.change)
                .with("device", facts.device)
                .with("address_block", facts.address_block)
                .with("left", facts.recovery_codes_left.to_string())
                .with("due", facts.due_at.as_ref().and_then(from_proto).map(to_text).unwrap_or_default());
            vec![request.with_link(facts.link_reference)]
        }
        "auth.v1.email_change_requested" => {
            let auth::EmailChangeRequested { user_id, old_email, new_email, link_reference } = read(event)?;
            let request = at(Template::EmailChangeRequested, &user_id, &old_email)?;
            vec![request.with("new_email", new_email).with_link(link_reference)]
        }
        "auth.v1.email_changed" => {
            let auth::EmailChanged { user_id, old_email, new_email, undo_reference, link_reference } = read(event)?;
            let mail = |address, link| {
                at(Template::EmailChanged, &user_id, address)
                    .map(|request| request.with("old_email", &old_email).with("new_email", &new_email).with_link(link))
            };
            vec![mail(&old_email, undo_reference)?, mail(&new_email, link_reference)?]
        }
        "auth.v1.new_device_signed_in" => {
            let auth::NewDeviceSignedIn { user_id, device, address_block, link_reference } = read(event)?;
            let request = to(Template::NewSignIn, &user_id)?.with_link(link_reference);
            let request = request.noticed(origin(&device, &address_block));
            vec![request.with("device", device).with("address_block", address_block)]
        }
        "auth.v1.sign_ins_refused" => {
            let auth::SignInsRefused { user_id, count, device, address_block, link_reference } = read(event)?;
            let request = to(Template::SignInsRefused, &user_id)?.with("count", count.to_string());
            let request = request.with_link(link_reference).noticed(origin(&device, &address_block));
            vec![request.with("device", device).with("address_block", address_block)]
        }
        "auth.v1.account_frozen" => {
            let auth::AccountFrozen { user_id } = read(event)?;
            vec![to(Template::AccountFrozen, &user_id)?]
        }
        "auth.v1.account_closing" => {
            let auth::AccountClosing { user_id, closes_at, link_reference } = read(event)?;
            let closes = closes_at.as_ref().and_then(from_proto).map(to_text).unwrap_or_default();
            vec![to(Template::AccountClosing, &user_id)?.with("closes", closes).with_link(link_reference)]
        }
        "auth.v1.account_closed" => {
            let auth::AccountClosed { user_id, email } = read(event)?;
            vec![at(Template::AccountClosed, &user_id, &email)?]
        }
        _ => Vec::new(),
    })
}

fn staff_changed(facts: auth::StaffChanged) -> Result<MailRequest, Error> {
    let mut request = MailRequest::new(Template::StaffChanged, Audience::AllStaff)
        .with("change", facts.change)
        .with("colleague", facts.name)
        .with("account_email", facts.email)
        .with("role", facts.role)
        .with("previous_role", facts.previous_role);
    request.people =
        vec![("proposed_by", account(&facts.proposed_by)?), ("confirmed_by", account(&facts.confirmed_by)?)];
    Ok(request)
}

fn of_wallet(event: &Event) -> Result<Vec<MailRequest>, Error> {
    let (template, for_course) = match event.key.as_str() {
        "wallet.v1.deposit_requested" => (Template::DepositReceived, Some(Template::CoursePaymentReceived)),
        // A confirmed payment for the course is announced by course_unlocked.
        "wallet.v1.deposit_confirmed" => (Template::DepositConfirmed, None),
        "wallet.v1.deposit_rejected" => (Template::DepositRejected, Some(Template::CoursePaymentRejected)),
        "wallet.v1.payment_returned" => (Template::PaymentReturned, Some(Template::PaymentReturned)),
        "wallet.v1.withdrawal_requested" => (Template::WithdrawalReceived, None),
        "wallet.v1.withdrawal_approved" => (Template::WithdrawalApproved, None),
        "wallet.v1.withdrawal_paid" => (Template::WithdrawalPaid, None),
        "wallet.v1.withdrawal_rejected" => (Template::WithdrawalRejected, None),
        "wallet.v1.fee_requested" => (Template::FeeReceived, None),
        "wallet.v1.fee_confirmed" => (Template::FeeConfirmed, None),
        "wallet.v1.fee_rejected" => (Template::FeeRejected, None),
        "wallet.v1.course_unlocked" => (Template::CourseUnlocked, Some(Template::CourseUnlocked)),
        "wallet.v1.course_refunded" => (Template::CourseRefunded, None),
        "wallet.v1.bonus_granted" => (Template::BonusGranted, None),
        "wallet.v1.bonus_released" => (Template::BonusReleased, None),
        "wallet.v1.balance_adjusted" => (Template::BalanceAdjusted, None),
        _ => return Ok(Vec::new()),
    };
    let facts = read::<Transaction>(event)?.transaction.ok_or_else(|| unreadable(event, "no transaction"))?;
    let template = if facts.r#type == COURSE { for_course } else { Some(template) };
    template.map(|template| transaction(template, &facts)).transpose().map(Vec::from_iter)
}

/// The shape that all events about a transaction share.
#[derive(Clone, PartialEq, Message)]
struct Transaction {
    #[prost(message, optional, tag = "1")]
    transaction: Option<wallet::TransactionFacts>,
}

fn transaction(template: Template, facts: &wallet::TransactionFacts) -> Result<MailRequest, Error> {
    let id: Uuid = facts.transaction_id.parse().map_err(|_| Error::Unreadable("no transaction id".to_owned()))?;
    let id = id.to_string();
    let dollars = |cents| Cents::new(cents).to_string();
    let noticed = Facts {
        transaction_id: id.clone(),
        amount_cents: facts.amount_cents,
        reason: facts.reason.clone(),
        ..Facts::default()
    };
    Ok(to(template, &facts.user_id)?
        .noticed(noticed)
        .with("reference", format!("TNX-{}", &id[..6]))
        .with("transaction_id", id)
        .with("type", &facts.r#type)
        .with("amount", dollars(facts.amount_cents))
        .with(
            "claimed",
            if facts.claimed_amount_cents == 0 { String::new() } else { dollars(facts.claimed_amount_cents) },
        )
        .with("fee", dollars(facts.fee_cents))
        .with("net", dollars(facts.net_amount_cents))
        .with("currency", &facts.currency)
        .with("network", &facts.network)
        .with("address", &facts.address)
        .with("needs_confirmation", if facts.needs_confirmation { "yes" } else { "" })
        .with("txid", &facts.txid)
        .with("reason", &facts.reason))
}

fn of_trade(event: &Event) -> Result<Vec<MailRequest>, Error> {
    let template = match event.key.as_str() {
        "trade.v1.trade_opened" => Template::TradeOpened,
        "trade.v1.matured" => Template::TradeMatured,
        "trade.v1.payout_delayed" => Template::PayoutDelayed,
        "trade.v1.trade_claimed" => Template::TradeClaimed,
        "trade.v1.trade_closed" => Template::TradeClosed,
        _ => return Ok(Vec::new()),
    };
    let facts = read::<Trade>(event)?.trade.ok_or_else(|| unreadable(event, "no trade"))?;
    let (amount, value) = (Cents::new(facts.amount_cents), Cents::new(facts.value_cents));
    // Leaving early can cost more than the gain: then nothing was a profit.
    let template = if template == Template::TradeClaimed && value <= amount { Template::TradeClosed } else { template };
    let difference = if value >= amount { value.minus(amount) } else { amount.minus(value) };
    let difference = difference.map_err(|error| unreadable(event, &error.to_string()))?;
    let noticed = Facts { amount_cents: facts.value_cents, plan: facts.plan_title.clone(), ..Facts::default() };
    let request = to(template, &facts.user_id)?
        .noticed(noticed)
        .with("plan", facts.plan_title)
        .with("amount", amount.to_string())
        .with("value", value.to_string())
        .with("difference", difference.to_string())
        .with("result", if value < amount { "loss" } else { "gain" })
        .with(
            "exit_fee",
            if facts.exit_fee_cents == 0 { String::new() } else { Cents::new(facts.exit_fee_cents).to_string() },
        );
    Ok(vec![request])
}

/// The shape that all events about a trade share.
#[derive(Clone, PartialEq, Message)]
struct Trade {
    #[prost(message, optional, tag = "1")]
    trade: Option<trade::TradeFacts>,
}

fn of_payment_method(event: &Event) -> Result<Vec<MailRequest>, Error> {
    match event.key.as_str() {
        "payment_method.v1.payment_seen" => {
            let payment_method::PaymentSeen { user_id } = read(event)?;
            Ok(vec![to(Template::PaymentSeen, &user_id)?])
        }
        "payment_method.v1.platform_method_changed" => Ok(vec![platform_method_changed(read(event)?)?]),
        _ => Ok(Vec::new()),
    }
}

fn platform_method_changed(facts: payment_method::PlatformMethodChanged) -> Result<MailRequest, Error> {
    let mut request = MailRequest::new(Template::PlatformMethodChanged, Audience::AllStaff)
        .with("change", facts.change)
        .with("currency", facts.currency)
        .with("network", facts.network)
        .with("address", facts.address);
    request.people =
        vec![("proposed_by", account(&facts.proposed_by)?), ("confirmed_by", account(&facts.confirmed_by)?)];
    Ok(request)
}

fn of_cases(event: &Event) -> Result<Vec<MailRequest>, Error> {
    let template = match event.key.as_str() {
        "cases.v1.opened" => Template::CaseOpened,
        "cases.v1.answered" => Template::CaseAnswered,
        "cases.v1.closed" => Template::CaseClosed,
        "cases.v1.complaint_registered" => Template::ComplaintRegistered,
        _ => return Ok(Vec::new()),
    };
    let facts = read::<Case>(event)?.case.ok_or_else(|| unreadable(event, "no case"))?;
    let id: Uuid = facts.case_id.parse().map_err(|_| unreadable(event, "no case id"))?;
    let moment = |at: &Option<_>| at.as_ref().and_then(from_proto).map(to_text).unwrap_or_default();
    let noticed = Facts { case_id: id.to_string(), case_number: facts.number, ..Facts::default() };
    let request = to(template, &facts.user_id)?
        .noticed(noticed)
        .with("case_id", id.to_string())
        .with("number", facts.number.to_string())
        .with("answer_due", moment(&facts.answer_due_at))
        .with("complaint_due", moment(&facts.complaint_due_at));
    Ok(vec![request])
}

/// The shape that all events about a case share.
#[derive(Clone, PartialEq, Message)]
struct Case {
    #[prost(message, optional, tag = "1")]
    case: Option<cases::CaseFacts>,
}

fn read<M: Message + Default>(event: &Event) -> Result<M, Error> {
    M::decode(event.payload.as_slice()).map_err(|error| unreadable(event, &error.to_string()))
}

fn unreadable(event: &Event, cause: &str) -> Error {
    Error::Unreadable(format!("{}: {cause}", event.key))
}

/// Where something was done from.
fn origin(device: &str, address_block: &str) -> Facts {
    Facts { device: device.to_owned(), address_block: address_block.to_owned(), ..Facts::default() }
}

fn account(id: &str) -> Result<UserId, Error> {
    id.parse().map_err(|_| Error::Unreadable("an account id is no UUID".to_owned()))
}

fn to(template: Template, user_id: &str) -> Result<MailRequest, Error> {
    Ok(MailRequest::new(template, Audience::Account(account(user_id)?)))
}

fn at(template: Template, user_id: &str, address: &str) -> Result<MailRequest, Error> {
    if address.is_empty() {
        return Err(Error::Unreadable("no address".to_owned()));
    }
    Ok(MailRequest { address: Some(address.to_owned()), ..to(template, user_id)? })
}

fn secret(template: Template, user_id: &str, reference: String) -> Result<MailRequest, Error> {
    if reference.is_empty() {
        return Err(Error::Unreadable("no reference".to_owned()));
    }
    Ok(MailRequest { secret_reference: Some(reference), ..to(template, user_id)? })
}
