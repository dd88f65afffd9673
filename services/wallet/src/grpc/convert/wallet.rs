//! Wallets and what limits them.

use chassis::clock;
use proto::wallet::v1 as message;

use crate::domain::hold::Hold;
use crate::domain::limits::{Allowance, COURSE_PRICE, FEE_BASIS_POINTS, Limits, Rest, TWO_PEOPLE_FROM};
use crate::domain::wallet::Wallet;

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
