//! Movements column by column, as the database's function takes them.

use std::collections::HashMap;

use chassis::idempotency::Claim;
use chassis::telemetry::TraceContext;
use serde_json::value::RawValue;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{PgConnection, Row};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::account::AccountRef;
use crate::error::Error;
use crate::posting::{Guard, Movement, Verdict};
use crate::store::transactions::Line;

/// A key, and the answer that is kept under it.
pub(super) type Kept<'a> = Option<(&'a Claim, &'a RawValue)>;

/// Movements. What belongs to one names it by its place, from 1; so do legs their posting and account.
#[derive(Default)]
pub(super) struct Columns<'a> {
    movements: i32,
    house_ids: Vec<i64>,
    owners: Vec<Uuid>,
    account_kinds: Vec<&'static str>,
    keys: Keys<'a>,
    guards: Guards,
    trades: Trades,
    postings: Postings,
    legs: Legs,
    lines: (Vec<i32>, Vec<Json<Line<'a>>>),
    events: Events<'a>,
}

/// What the database made of movements.
pub(super) struct Done {
    /// In their order.
    pub(super) verdicts: Vec<Verdict>,
    /// Its clock when it began.
    pub(super) at: OffsetDateTime,
}

#[derive(Default)]
struct Keys<'a> {
    movements: Vec<i32>,
    users: Vec<Uuid>,
    routes: Vec<&'a str>,
    keys: Vec<&'a str>,
    fingerprints: Vec<&'a [u8]>,
    request_ids: Vec<&'a str>,
    outcomes: Vec<Json<&'a RawValue>>,
}

#[derive(Default)]
struct Guards {
    movements: Vec<i32>,
    guards: Vec<&'static str>,
    users: Vec<Uuid>,
}

#[derive(Default)]
struct Trades {
    movements: Vec<i32>,
    ids: Vec<Uuid>,
    users: Vec<Uuid>,
    amounts: Vec<i64>,
    values: Vec<Option<i64>>,
    times: Vec<OffsetDateTime>,
}

#[derive(Default)]
struct Postings {
    movements: Vec<i32>,
    kinds: Vec<&'static str>,
    business_ids: Vec<Uuid>,
    users: Vec<Uuid>,
    transaction_ids: Vec<Option<Uuid>>,
}

#[derive(Default)]
struct Legs {
    movements: Vec<i32>,
    postings: Vec<i32>,
    accounts: Vec<i32>,
    amounts: Vec<i64>,
}

/// An account of a transfer: of the house by its id, of a member by its owner and kind.
struct Side {
    house_id: Option<i64>,
    owner: Option<Uuid>,
    kind: Option<&'static str>,
}

/// One movement of one posting between two accounts, with no more than one line and one event.
struct Transfer {
    debtor: Side,
    creditor: Side,
    amount: i64,
}

#[derive(Default)]
struct Events<'a> {
    movements: Vec<i32>,
    ids: Vec<Uuid>,
    keys: Vec<&'a str>,
    aggregate_ids: Vec<Uuid>,
    payloads: Vec<&'a [u8]>,
    trace_contexts: Vec<&'a Json<TraceContext>>,
}

impl<'a> Columns<'a> {
    /// The columns of these movements, each with what is kept under its key.
    ///
    /// # Errors
    /// Only if there were more than can be counted.
    pub(super) fn of(
        movements: impl IntoIterator<Item = (&'a Movement, Kept<'a>), IntoIter: Clone>,
    ) -> Result<Self, Error> {
        let movements = movements.into_iter();
        let mut columns = Self::default();
        let places = columns.take_accounts(movements.clone().map(|(movement, _)| movement))?;
        for (movement, kept) in movements {
            columns.movements += 1;
            columns.take_key(kept);
            columns.take_guard(movement);
            for posting in &movement.postings {
                columns.postings.movements.push(columns.movements);
                columns.postings.kinds.push(posting.kind);
                columns.postings.business_ids.push(posting.business_id);
                columns.postings.users.push(posting.user_id);
                columns.postings.transaction_ids.push(posting.transaction_id);
                let place = place(columns.postings.kinds.len())?;
                for (account, amount) in &posting.legs {
                    columns.legs.movements.push(columns.movements);
                    columns.legs.postings.push(place);
                    columns.legs.accounts.push(*places.get(account).ok_or(Error::AccountMissing)?);
                    columns.legs.amounts.push(amount.get());
                }
            }
            for line in &movement.lines {
                columns.lines.0.push(columns.movements);
                columns.lines.1.push(Json(Line::of(line)));
            }
            for event in &movement.events {
                columns.events.movements.push(columns.movements);
                columns.events.ids.push(event.id);
                columns.events.keys.push(&event.key);
                columns.events.aggregate_ids.push(event.aggregate_id);
                columns.events.payloads.push(&event.payload);
                columns.events.trace_contexts.push(&event.trace_context);
            }
        }
        Ok(columns)
    }

    /// The members whose accounts take part, one entry an account.
    pub(super) fn owners(&self) -> &[Uuid] {
        &self.owners
    }

    /// Gives every account its place: the house's first, then members'.
    fn take_accounts(
        &mut self,
        movements: impl Iterator<Item = &'a Movement> + Clone,
    ) -> Result<HashMap<AccountRef, i32>, Error> {
        let accounts = movements.flat_map(Movement::accounts);
        let mut places = HashMap::new();
        for account in accounts.clone() {
            if let AccountRef::House(one) = account
                && !places.contains_key(&account)
            {
                self.house_ids.push(one.id());
                places.insert(account, place(self.house_ids.len())?);
            }
        }
        for account in accounts {
            if let AccountRef::Member(owner, kind) = account
                && !places.contains_key(&account)
            {
                self.owners.push(owner);
                self.account_kinds.push(kind.as_str());
                places.insert(account, place(self.house_ids.len() + self.owners.len())?);
            }
        }
        Ok(places)
    }

    fn take_key(&mut self, kept: Kept<'a>) {
        let Some((claim, outcome)) = kept else { return };
        let ((user_id, route, key), (fingerprint, request_id)) = (claim.key(), claim.request());
        self.keys.movements.push(self.movements);
        self.keys.users.push(user_id);
        self.keys.routes.push(route);
        self.keys.keys.push(key);
        self.keys.fingerprints.push(fingerprint);
        self.keys.request_ids.push(request_id);
        self.keys.outcomes.push(Json(outcome));
    }

    fn take_guard(&mut self, movement: &Movement) {
        let (trade_id, amount, value, at) = match movement.guard {
            None => return,
            Some(guard @ (Guard::Withdrawal | Guard::Course)) => {
                self.guards.movements.push(self.movements);
                self.guards.guards.push(if guard == Guard::Course { "course" } else { "withdrawal" });
                self.guards.users.push(movement.user_id);
                return;
            }
            Some(Guard::Fund { trade_id, amount, at }) => (trade_id, amount, None, at),
            Some(Guard::Settle { trade_id, amount, value, at }) => (trade_id, amount, Some(value.get()), at),
        };
        self.trades.movements.push(self.movements);
        self.trades.ids.push(trade_id);
        self.trades.users.push(movement.user_id);
        self.trades.amounts.push(amount.get());
        self.trades.values.push(value);
        self.trades.times.push(at);
    }

    /// Applies them in one statement; the verdicts in their order. Without a transaction around it, it is one.
    ///
    /// # Errors
    /// The database's; then nothing of any was applied.
    pub(super) async fn apply(&self, conn: &mut PgConnection) -> Result<Done, Error> {
        let row = match self.transfer() {
            Some(transfer) => self.move_one(&transfer, conn).await?,
            None => self.move_money(conn).await?,
        };
        let verdicts: Vec<i32> = row.try_get(0)?;
        let verdicts = verdicts.into_iter().map(|verdict| match verdict {
            0 => Verdict::Applied,
            1 => Verdict::Hindered,
            2 => Verdict::Overdrawn,
            _ => Verdict::AccountMissing,
        });
        Ok(Done { verdicts: verdicts.collect(), at: row.try_get(1)? })
    }

    /// What this is, if it is no more than a transfer.
    fn transfer(&self) -> Option<Transfer> {
        let (&[first, second], &[from, to]) = (&self.legs.amounts[..], &self.legs.accounts[..]) else { return None };
        let is_one = self.movements == 1
            && self.postings.kinds.len() == 1
            && self.house_ids.len() + self.owners.len() == 2
            && self.lines.1.len() <= 1
            && self.events.ids.len() <= 1;
        if !is_one || first == 0 || first.checked_neg() != Some(second) {
            return None;
        }
        let (debtor, creditor) = if first < 0 { (from, to) } else { (to, from) };
        Some(Transfer { debtor: self.side(debtor)?, creditor: self.side(creditor)?, amount: first.max(second) })
    }

    /// The account at a place.
    fn side(&self, place: i32) -> Option<Side> {
        let place = usize::try_from(place).ok()?.checked_sub(1)?;
        if let Some(id) = self.house_ids.get(place) {
            return Some(Side { house_id: Some(*id), owner: None, kind: None });
        }
        let place = place - self.house_ids.len();
        Some(Side {
            house_id: None,
            owner: Some(*self.owners.get(place)?),
            kind: Some(*self.account_kinds.get(place)?),
        })
    }

    async fn move_one(&self, transfer: &Transfer, conn: &mut PgConnection) -> Result<PgRow, sqlx::Error> {
        sqlx::query(
            "SELECT ARRAY[move_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30)], statement_timestamp()",
        )
        .bind(transfer.debtor.house_id)
        .bind(transfer.debtor.owner)
        .bind(transfer.debtor.kind)
        .bind(transfer.creditor.house_id)
        .bind(transfer.creditor.owner)
        .bind(transfer.creditor.kind)
        .bind(transfer.amount)
        .bind(self.keys.users.first())
        .bind(self.keys.routes.first())
        .bind(self.keys.keys.first())
        .bind(self.keys.fingerprints.first())
        .bind(self.keys.request_ids.first())
        .bind(self.keys.outcomes.first())
        .bind(self.guards.guards.first())
        .bind(self.guards.users.first())
        .bind(self.trades.ids.first())
        .bind(self.trades.users.first())
        .bind(self.trades.amounts.first())
        .bind(self.trades.values.first().copied().flatten())
        .bind(self.trades.times.first())
        .bind(self.postings.kinds.first())
        .bind(self.postings.business_ids.first())
        .bind(self.postings.users.first())
        .bind(self.postings.transaction_ids.first().copied().flatten())
        .bind(self.lines.1.first())
        .bind(self.events.ids.first())
        .bind(self.events.keys.first())
        .bind(self.events.aggregate_ids.first())
        .bind(self.events.payloads.first())
        .bind(self.events.trace_contexts.first())
        .fetch_one(conn)
        .await
    }

    async fn move_money(&self, conn: &mut PgConnection) -> Result<PgRow, sqlx::Error> {
        sqlx::query(
            "SELECT move_money($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37),
                statement_timestamp()",
        )
        .bind(self.movements)
        .bind(&self.house_ids)
        .bind(&self.owners)
        .bind(&self.account_kinds)
        .bind(&self.keys.movements)
        .bind(&self.keys.users)
        .bind(&self.keys.routes)
        .bind(&self.keys.keys)
        .bind(&self.keys.fingerprints)
        .bind(&self.keys.request_ids)
        .bind(&self.keys.outcomes)
        .bind(&self.guards.movements)
        .bind(&self.guards.guards)
        .bind(&self.guards.users)
        .bind(&self.trades.movements)
        .bind(&self.trades.ids)
        .bind(&self.trades.users)
        .bind(&self.trades.amounts)
        .bind(&self.trades.values)
        .bind(&self.trades.times)
        .bind(&self.postings.movements)
        .bind(&self.postings.kinds)
        .bind(&self.postings.business_ids)
        .bind(&self.postings.users)
        .bind(&self.postings.transaction_ids)
        .bind(&self.legs.movements)
        .bind(&self.legs.postings)
        .bind(&self.legs.accounts)
        .bind(&self.legs.amounts)
        .bind(&self.lines.0)
        .bind(&self.lines.1)
        .bind(&self.events.movements)
        .bind(&self.events.ids)
        .bind(&self.events.keys)
        .bind(&self.events.aggregate_ids)
        .bind(&self.events.payloads)
        .bind(&self.events.trace_contexts)
        .fetch_one(conn)
        .await
    }
}

/// The place of the newest of so many.
fn place(count: usize) -> Result<i32, Error> {
    i32::try_from(count).map_err(|error| Error::Database(sqlx::Error::Encode(Box::new(error))))
}
