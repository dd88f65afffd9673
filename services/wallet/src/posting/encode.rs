//! Encodes movements as rows for the database function `post_movements`.

use chassis::id::{MemberId, TradeId, TransactionId, UserId};
use std::collections::HashMap;

use chassis::db::PgConnection;
use chassis::idempotency::Claim;
use chassis::money::Cents;
use chassis::telemetry::TraceContext;
use serde_json::value::RawValue;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::PgRecordEncoder;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo};
use sqlx::types::Json;
use sqlx::{Encode, Postgres, Type};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::account::AccountRef;
use crate::domain::limits::WHOLE_BALANCE_PERIOD;
use crate::domain::transaction::record::Record;
use crate::error::Error;
use crate::posting::{Movement, Outcome, Precondition};

/// A key, and the answer that is kept under it.
pub(super) type Kept<'a> = Option<(&'a Claim, &'a RawValue)>;

/// What to do about an account that another transaction holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Locks {
    /// Wait for it.
    Wait,
    /// Leave out the movements that need it.
    Skip,
}

/// Defines a row by its type's name in the database and its fields, in their order there.
macro_rules! row {
    ($name:ident $(<$life:lifetime>)? = $sql:literal { $($field:ident: $type:ty,)+ }) => {
        struct $name $(<$life>)? { $($field: $type,)+ }

        impl $(<$life>)? Type<Postgres> for $name $(<$life>)? {
            fn type_info() -> PgTypeInfo {
                PgTypeInfo::with_name($sql)
            }
        }

        impl $(<$life>)? PgHasArrayType for $name $(<$life>)? {
            fn array_type_info() -> PgTypeInfo {
                PgTypeInfo::array_of($sql)
            }
        }

        impl<'q $(, $life)?> Encode<'q, Postgres> for $name $(<$life>)? {
            fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
                let mut record = PgRecordEncoder::new(buf);
                $(record.encode(&self.$field)?;)+
                record.finish();
                Ok(IsNull::No)
            }
        }
    };
}

row!(Account = "ledger_account" { user_id: Uuid, kind: &'static str, });

row!(Key<'a> = "ledger_key" {
    movement: i32,
    user_id: UserId,
    route: &'a str,
    key: &'a str,
    fingerprint: &'a [u8],
    request_id: &'a str,
    outcome: Json<&'a RawValue>,
});

row!(Condition = "ledger_precondition" {
    movement: i32,
    account: i32,
    rule: &'static str,
    trade_id: Option<TradeId>,
    amount_cents: Option<i64>,
    value_cents: Option<i64>,
    at: Option<OffsetDateTime>,
    other_value_cents: Option<i64>,
    other_at: Option<OffsetDateTime>,
});

row!(PostingRow = "ledger_posting" {
    movement: i32,
    kind: &'static str,
    cause_type: &'static str,
    business_id: Uuid,
    user_id: MemberId,
    transaction_id: Option<TransactionId>,
});

row!(Entry = "ledger_entry" { posting: i32, account: i32, amount_cents: i64, });

row!(Line = "ledger_line" { movement: i32, line: Record, });

row!(Event<'a> = "ledger_event" {
    movement: i32,
    event_id: Uuid,
    key: &'a str,
    aggregate_id: Uuid,
    payload: &'a [u8],
    trace_context: &'a Json<TraceContext>,
});

/// Movements. What belongs to one names it by its place, from 1; so do entries their posting and account.
#[derive(Default)]
pub(super) struct Rows<'a> {
    movements: i32,
    house_ids: Vec<i64>,
    accounts: Vec<Account>,
    keys: Vec<Key<'a>>,
    conditions: Vec<Condition>,
    postings: Vec<PostingRow>,
    entries: Vec<Entry>,
    lines: Vec<Line>,
    events: Vec<Event<'a>>,
    places: HashMap<AccountRef, i32>,
}

/// What the database made of movements.
pub(super) struct Done {
    /// In their order.
    pub(super) outcomes: Vec<Outcome>,
    /// Its clock when it began.
    pub(super) at: OffsetDateTime,
}

impl<'a> Rows<'a> {
    /// The rows of these movements, each with what is kept under its key.
    ///
    /// # Errors
    /// Only if there were more than can be counted.
    pub(super) fn of(
        movements: impl IntoIterator<Item = (&'a Movement, Kept<'a>), IntoIter: Clone>,
    ) -> Result<Self, Error> {
        let movements = movements.into_iter();
        let mut rows = Self::default();
        rows.take_accounts(movements.clone().flat_map(|(movement, _)| movement.accounts()))?;
        for (movement, kept) in movements {
            rows.movements += 1;
            rows.take_key(kept);
            rows.take_precondition(movement)?;
            rows.take_postings(movement)?;
            let lines = movement.lines.iter().map(|line| Line { movement: rows.movements, line: line.into() });
            rows.lines.extend(lines);
            for event in &movement.events {
                rows.events.push(Event {
                    movement: rows.movements,
                    event_id: event.id,
                    key: &event.key,
                    aggregate_id: event.aggregate_id,
                    payload: &event.payload,
                    trace_context: &event.trace_context,
                });
            }
        }
        Ok(rows)
    }

    /// The accounts that take part.
    pub(super) fn accounts(&self) -> impl Iterator<Item = AccountRef> + '_ {
        self.places.keys().copied()
    }

    /// Gives every account its place: the house's first, then members' and plans'.
    fn take_accounts(&mut self, accounts: impl Iterator<Item = AccountRef> + Clone) -> Result<(), Error> {
        for account in accounts.clone() {
            if let AccountRef::House(one) = account
                && !self.places.contains_key(&account)
            {
                self.house_ids.push(one.id());
                self.places.insert(account, place(self.house_ids.len())?);
            }
        }
        for account in accounts {
            let owned = match account {
                AccountRef::Member(user_id, kind) => Some((user_id.get(), kind.into_str())),
                AccountRef::Plan(plan_id, kind) => Some((plan_id.get(), kind.into_str())),
                AccountRef::House(_) => None,
            };
            if let Some((user_id, kind)) = owned
                && !self.places.contains_key(&account)
            {
                self.accounts.push(Account { user_id, kind });
                self.places.insert(account, place(self.house_ids.len() + self.accounts.len())?);
            }
        }
        Ok(())
    }

    fn place_of(&self, account: AccountRef) -> Result<i32, Error> {
        self.places.get(&account).copied().ok_or(Error::AccountMissing)
    }

    fn take_key(&mut self, kept: Kept<'a>) {
        let Some((claim, outcome)) = kept else { return };
        let ((user_id, route, key), (fingerprint, request_id)) = (claim.key(), claim.request());
        let outcome = Json(outcome);
        self.keys.push(Key { movement: self.movements, user_id, route, key, fingerprint, request_id, outcome });
    }

    fn take_precondition(&mut self, movement: &Movement) -> Result<(), Error> {
        let Some(precondition) = movement.precondition else { return Ok(()) };
        let account = self.place_of(AccountRef::available(movement.user_id))?;
        let movement = self.movements;
        let rule = |rule, trade_id, amount: Option<Cents>, value: Option<Cents>, at| Condition {
            movement,
            account,
            rule,
            trade_id,
            amount_cents: amount.map(Cents::get),
            value_cents: value.map(Cents::get),
            at,
            other_value_cents: None,
            other_at: None,
        };
        if precondition.spends() {
            self.conditions.push(rule("nothing_owed", None, None, None, None));
        }
        match precondition {
            // Reported first: with an open withdrawal nothing else matters.
            Precondition::WithdrawalAllowed { amount, min, allowances, at } => {
                self.conditions.push(rule("no_open_withdrawal", None, None, None, None));
                if amount < min {
                    let since = at - WHOLE_BALANCE_PERIOD;
                    self.conditions.push(rule("whole_balance", None, Some(amount), Some(min), Some(since)));
                }
                let [one, other] = allowances;
                self.conditions.push(Condition {
                    other_value_cents: Some(other.amount.get()),
                    other_at: Some(at - other.period),
                    ..rule("withdrawals_within", None, Some(amount), Some(one.amount), Some(at - one.period))
                });
            }
            Precondition::NoCourse => self.conditions.push(rule("no_course", None, None, None, None)),
            Precondition::TradeUnknown { trade_id, amount, at } => {
                self.conditions.push(rule("trade_unknown", Some(trade_id), Some(amount), None, Some(at)));
            }
            Precondition::TradeFunded { trade_id, amount, value, at } => {
                self.conditions.push(rule("trade_funded", Some(trade_id), Some(amount), Some(value), Some(at)));
            }
        }
        Ok(())
    }

    fn take_postings(&mut self, movement: &Movement) -> Result<(), Error> {
        for posting in &movement.postings {
            self.postings.push(PostingRow {
                movement: self.movements,
                kind: posting.kind.into_str(),
                cause_type: posting.cause.into_str(),
                business_id: posting.cause.id(),
                user_id: posting.user_id,
                transaction_id: posting.transaction_id,
            });
            let number = place(self.postings.len())?;
            for (account, amount) in &posting.entries {
                let account = self.place_of(*account)?;
                self.entries.push(Entry { posting: number, account, amount_cents: amount.get() });
            }
        }
        Ok(())
    }

    /// Applies them in one statement. Without a transaction around it, it is one.
    ///
    /// # Errors
    /// If the statement failed: none of them was applied.
    pub(super) async fn apply(&self, conn: &mut PgConnection, locks: Locks) -> Result<Done, sqlx::Error> {
        let row = sqlx::query!(
            r#"SELECT post_movements($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS "verdicts!", statement_timestamp() AS "at!""#,
            locks == Locks::Wait,
            self.movements,
            &self.house_ids,
            &self.accounts as _,
            &self.keys as _,
            &self.conditions as _,
            &self.postings as _,
            &self.entries as _,
            &self.lines as _,
            &self.events as _
        )
        .fetch_one(conn)
        .await?;
        let outcomes = row.verdicts.into_iter().map(|verdict| match verdict {
            0 => Ok(Outcome::Applied),
            1 => Ok(Outcome::KeyUsed),
            2 => Ok(Outcome::InsufficientFunds),
            3 => Ok(Outcome::AccountMissing),
            4 => Ok(Outcome::Busy),
            5 => Ok(Outcome::WithdrawalPending),
            6 => Ok(Outcome::CourseOwned),
            7 => Ok(Outcome::CoursePaymentPending),
            8 => Ok(Outcome::TradeKnown),
            9 => Ok(Outcome::TradeNotFunded),
            11 => Ok(Outcome::LimitReached),
            12 => Ok(Outcome::BelowMinimum),
            13 => Ok(Outcome::PlanCashShort),
            10 => Ok(Outcome::AmountOwed),
            _ => Err(sqlx::Error::Decode(format!("unknown verdict: {verdict}").into())),
        });
        Ok(Done { outcomes: outcomes.collect::<Result<_, _>>()?, at: row.at })
    }
}

/// The place of the newest of this many.
fn place(count: usize) -> Result<i32, Error> {
    i32::try_from(count).map_err(|error| Error::Database(sqlx::Error::Encode(Box::new(error))))
}
