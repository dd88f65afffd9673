//! Movements of each kind.

use chassis::id::{MemberId, TradeId};
use chassis::money::Cents;
use sqlx::types::time::OffsetDateTime;
use uuid::Uuid;
use wallet::domain::account::{AccountRef, HouseAccount, PlanAccount};
use wallet::domain::limits::{COURSE_PRICE, Limits};
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::domain::transaction::{Details, MethodCopy, TradePart, Transaction};
use wallet::events::published;
use wallet::posting::{Movement, Outcome, Posting, Precondition};

use crate::fixture::World;
use crate::treasury::PLAN;

pub fn transfer(user_id: MemberId, way: (AccountRef, AccountRef), cents: i64) -> Posting {
    let cause = Cause::Unchecked(Uuid::new_v4());
    Posting::transfer(PostingKind::Transfer, cause, user_id, way, Cents::new(cents)).unwrap()
}

pub fn one_transfer(user_id: MemberId, way: (AccountRef, AccountRef), cents: i64) -> Movement {
    Movement { user_id, postings: vec![transfer(user_id, way, cents)], ..Movement::default() }
}

/// Gives the plan all the cash that gains take; transfers have to be allowed.
pub async fn fill_plan(world: &World) {
    let way = (AccountRef::House(HouseAccount::Capital), AccountRef::Plan(PLAN, PlanAccount::Cash));
    assert_eq!(
        world.home().ledger.apply(one_transfer(PLAN.get().into(), way, 1 << 40)).await.unwrap(),
        Outcome::Applied
    );
}

pub fn withdrawal(user_id: MemberId, amount: Cents, now: OffsetDateTime) -> Movement {
    let method = MethodCopy {
        id: Uuid::new_v4().into(),
        currency: "USDT".into(),
        network: "TRC20".into(),
        address: String::new(),
        memo: String::new(),
        version: 1,
    };
    let line = Transaction::withdrawal(user_id, amount, method, (None, None), now).unwrap();
    let way = (AccountRef::available(user_id), AccountRef::held(user_id));
    let cause = Cause::Transaction(line.id);
    Movement {
        user_id,
        precondition: Some(Precondition::WithdrawalAllowed {
            amount,
            min: amount,
            allowances: Limits::default().allowances,
            at: now,
        }),
        postings: vec![Posting::transfer(PostingKind::WithdrawalHold, cause, user_id, way, amount).unwrap()],
        events: vec![published::withdrawal_requested(&line)],
        lines: vec![line],
    }
}

pub fn course(user_id: MemberId, now: OffsetDateTime) -> Movement {
    let line = Transaction::done(user_id, Details::Purchase, COURSE_PRICE, now);
    let way = (AccountRef::available(user_id), AccountRef::House(HouseAccount::CourseRevenue));
    let cause = Cause::Purchase(line.id);
    Movement {
        user_id,
        precondition: Some(Precondition::NoCourse),
        postings: vec![Posting::transfer(PostingKind::Course, cause, user_id, way, COURSE_PRICE).unwrap()],
        events: vec![published::course_unlocked(&line)],
        lines: vec![line],
    }
}

pub fn fund(user_id: MemberId, trade_id: TradeId, amount: Cents, at: OffsetDateTime) -> Movement {
    let line = Transaction::done(user_id, Details::Trade { part: TradePart::Invested, trade_id }, amount, at);
    let way = (AccountRef::available(user_id), AccountRef::invested(user_id));
    let cause = Cause::Trade(trade_id);
    let posting = Posting::transfer(PostingKind::TradeFund, cause, user_id, way, amount).unwrap();
    Movement {
        user_id,
        precondition: Some(Precondition::TradeUnknown { trade_id, amount, at }),
        postings: vec![posting.shown_as(line.id)],
        events: vec![published::trade_funded(trade_id, user_id)],
        lines: vec![line],
    }
}

/// What the balance lacks is owed.
pub fn reversal(user_id: MemberId, cents: i64) -> Movement {
    let way = (AccountRef::available(user_id), AccountRef::House(HouseAccount::Adjustments));
    let cause = Cause::Unchecked(Uuid::new_v4());
    let posting = Posting::transfer(PostingKind::Reversal, cause, user_id, way, Cents::new(cents)).unwrap();
    Movement { user_id, postings: vec![posting], ..Movement::default() }
}

/// With a gain of as much as was invested.
pub fn settle(user_id: MemberId, trade_id: TradeId, amount: Cents, at: OffsetDateTime) -> Movement {
    let (available, invested) = (AccountRef::available(user_id), AccountRef::invested(user_id));
    let cash = AccountRef::Plan(PLAN, PlanAccount::Cash);
    let parts = [
        (PostingKind::TradeSettle, TradePart::Returned, (invested, available)),
        (PostingKind::TradeGain, TradePart::Profit, (cash, available)),
    ];
    let mut movement = Movement {
        user_id,
        precondition: Some(Precondition::TradeFunded { trade_id, amount, value: amount.plus(amount).unwrap(), at }),
        events: vec![published::trade_settled(trade_id, user_id)],
        ..Movement::default()
    };
    for (kind, part, way) in parts {
        let line = Transaction::done(user_id, Details::Trade { part, trade_id }, amount, at);
        let posting = Posting::transfer(kind, Cause::Trade(trade_id), user_id, way, amount).unwrap();
        movement.postings.push(posting.shown_as(line.id));
        movement.lines.push(line);
    }
    movement
}
