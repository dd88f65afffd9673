//! Limits and prices.

use chassis::error::Refusal;
use chassis::money::{AmountError, Cents};
use time::{Duration, OffsetDateTime};

use crate::domain::transaction::QuoteDirection;

/// The fee of a withdrawal in hundredths of a percent: 2.5 %.
pub const FEE_BASIS_POINTS: u32 = 250;

pub const COURSE_PRICE: Cents = Cents::new(8_700);
/// From here on a withdrawal takes two people.
pub const TWO_PEOPLE_FROM: Cents = Cents::new(100_000);

/// The bytes of receipts that a member may keep: 200 MiB.
pub const RECEIPTS_MOST_BYTES: i64 = 200 * 1024 * 1024;

/// In which a member may once withdraw less than the minimum, as the whole balance (D-M5).
pub const WHOLE_BALANCE_PERIOD: Duration = Duration::days(30);

/// Amounts that are accepted, both ends included.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub deposit_min: Cents,
    pub deposit_max: Cents,
    /// What one reviewer approves alone, for one member within a day: from here on it takes two.
    pub deposit_second_reviewer_from: Cents,
    /// The same of payments that the chain does not prove.
    pub unproven_member_day_from: Cents,
    /// What one reviewer approves alone within a day of payments that the chain does not prove, for all members.
    pub unproven_reviewer_day_from: Cents,
    /// Deposits and course payments of one member that may wait for review at once.
    pub pending_deposits: i64,
    /// How many days the receipt of a decided payment is kept.
    pub receipt_days: i32,
    pub withdrawal_min: Cents,
    pub withdrawal_max: Cents,
    /// What the withdrawals of one member may come to, by period.
    pub allowances: [Allowance; 2],
}

/// What a member's withdrawals of a period may come to. Rejected ones do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Allowance {
    /// The period, which ends now.
    pub period: Duration,
    pub amount: Cents,
}

/// A withdrawal that counts towards the allowances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Withdrawn {
    /// When it was requested.
    pub at: OffsetDateTime,
    /// The gross amount.
    pub amount: Cents,
}

/// What a member may still withdraw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rest {
    /// Now, by the allowance that leaves least.
    pub left: Cents,
    /// From when on the amount asked for fits, or else more than what is left; unset if that is never so.
    pub available_at: Option<OffsetDateTime>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deposit_min: Cents::new(10_000),
            deposit_max: Cents::new(10_000_000),
            deposit_second_reviewer_from: Cents::new(1_000_000),
            unproven_member_day_from: Cents::new(100_000),
            unproven_reviewer_day_from: Cents::new(500_000),
            pending_deposits: 5,
            receipt_days: 1_826,
            withdrawal_min: Cents::new(5_000),
            withdrawal_max: Cents::new(5_000_000),
            allowances: [
                Allowance { period: Duration::hours(24), amount: Cents::new(10_000_000) },
                Allowance { period: Duration::days(30), amount: Cents::new(50_000_000) },
            ],
        }
    }
}

/// What was approved by one person within the last day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ApprovedAlone {
    /// For the member.
    pub member: Cents,
    /// Of this, what the chain does not prove.
    pub member_unproven: Cents,
    /// By the reviewer for all members, what the chain does not prove.
    pub reviewer_unproven: Cents,
}

/// How much proof a payment has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Proof {
    /// The chain shows that it is final and worth what is credited.
    #[default]
    Proven,
    /// The chain does not show that, or is not observed.
    Unproven,
    /// It may be the payment of another member.
    Contested,
}

/// The period in which approvals by one person add up (D-N8).
pub const APPROVED_ALONE_PERIOD: Duration = Duration::hours(24);

impl Limits {
    /// From how much on a payment takes two reviewers, by what was approved alone before (D-B12, D-N8).
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn second_reviewer_from(&self, proof: Proof, before: ApprovedAlone) -> Result<Cents, AmountError> {
        let left = self.deposit_second_reviewer_from.minus(before.member)?;
        match proof {
            Proof::Proven => Ok(left),
            Proof::Unproven => Ok(left
                .min(self.unproven_member_day_from.minus(before.member_unproven)?)
                .min(self.unproven_reviewer_day_from.minus(before.reviewer_unproven)?)),
            Proof::Contested => Ok(Cents::ZERO),
        }
    }

    /// Whether a deposit of this amount is accepted.
    ///
    /// # Errors
    /// Invalid on the field `amount`.
    pub fn check_deposit(&self, amount: Cents) -> Result<(), Refusal> {
        within("Deposits", amount, self.deposit_min, self.deposit_max)
    }

    /// What the units of a quote for this amount are worth: of a withdrawal, what is left after the fee.
    ///
    /// # Errors
    /// Invalid for an amount that could not be deposited or withdrawn.
    pub fn priced(&self, direction: QuoteDirection, amount: Cents) -> Result<Cents, Refusal> {
        match direction {
            // The course is paid like a deposit.
            QuoteDirection::Deposit if amount == COURSE_PRICE => Ok(amount),
            QuoteDirection::Deposit => self.check_deposit(amount).map(|()| amount),
            QuoteDirection::Withdrawal => {
                self.check_withdrawal(amount)?;
                fee_and_net(amount).map(|(_, net)| net).map_err(|error| Refusal::field("amount", error.to_string()))
            }
        }
    }

    /// Whether a withdrawal of this amount is accepted. Whether less than the minimum is all that a member has is decided
    /// when it is posted.
    ///
    /// # Errors
    /// Invalid on the field `amount`.
    pub fn check_withdrawal(&self, amount: Cents) -> Result<(), Refusal> {
        let least = if amount > Cents::ZERO { amount.min(self.withdrawal_min) } else { self.withdrawal_min };
        within("Withdrawals", amount, least, self.withdrawal_max)
    }
}

/// Whether this is what the course costs.
///
/// # Errors
/// Invalid on the field `amount`.
pub fn check_course(amount: Cents) -> Result<(), Refusal> {
    if amount == COURSE_PRICE {
        Ok(())
    } else {
        Err(Refusal::field("amount", format!("The course costs exactly {COURSE_PRICE}.")))
    }
}

/// The fee of a withdrawal of this gross amount, and what is left.
///
/// # Errors
/// If the amount is out of range.
pub fn fee_and_net(amount: Cents) -> Result<(Cents, Cents), AmountError> {
    let fee = amount.share_half_up(FEE_BASIS_POINTS)?;
    Ok((fee, amount.minus(fee)?))
}

/// What is left of allowances after these withdrawals, oldest first, and from when on `wanted` fits; without an amount,
/// from when on there is more than now.
///
/// # Errors
/// If a sum is out of range.
pub fn rest(
    allowances: &[Allowance],
    withdrawn: &[Withdrawn],
    wanted: Option<Cents>,
    now: OffsetDateTime,
) -> Result<Rest, AmountError> {
    let mut left = Cents::new(i64::MAX - 1);
    for allowance in allowances {
        let used = used(counted(allowance, withdrawn, now))?;
        left = left.min(if used < allowance.amount { allowance.amount.minus(used)? } else { Cents::ZERO });
    }
    let wanted = wanted.map_or_else(|| left.plus(Cents::new(1)), Ok)?;
    let mut available_at = now;
    for allowance in allowances {
        let Some(from) = fits_from(allowance, withdrawn, wanted, now)? else {
            return Ok(Rest { left, available_at: None });
        };
        available_at = available_at.max(from);
    }
    Ok(Rest { left, available_at: Some(available_at) })
}

/// From when on an amount fits into an allowance: when enough of the oldest withdrawals no longer count.
fn fits_from(
    allowance: &Allowance,
    withdrawn: &[Withdrawn],
    wanted: Cents,
    now: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, AmountError> {
    if wanted > allowance.amount {
        return Ok(None);
    }
    let (mut used, mut from) = (used(counted(allowance, withdrawn, now))?, now);
    for one in counted(allowance, withdrawn, now) {
        if used.plus(wanted)? <= allowance.amount {
            break;
        }
        used = used.minus(one.amount)?;
        from = one.at + allowance.period;
    }
    Ok(Some(from))
}

fn counted<'a>(
    allowance: &Allowance,
    withdrawn: &'a [Withdrawn],
    now: OffsetDateTime,
) -> impl Iterator<Item = &'a Withdrawn> + use<'a> {
    let since = now - allowance.period;
    withdrawn.iter().filter(move |one| one.at > since)
}

fn used<'a>(withdrawn: impl Iterator<Item = &'a Withdrawn>) -> Result<Cents, AmountError> {
    withdrawn.map(|one| one.amount).try_fold(Cents::ZERO, Cents::plus)
}

fn within(what: &str, amount: Cents, min: Cents, max: Cents) -> Result<(), Refusal> {
    if (min..=max).contains(&amount) {
        Ok(())
    } else {
        Err(Refusal::field("amount", format!("{what} are from {min} to {max}.")))
    }
}

#[cfg(test)]
mod tests {
    use chassis::money::Cents;
    use time::{Duration, OffsetDateTime};

    use super::{Allowance, Limits, Withdrawn, check_course, fee_and_net, rest};

    /// [D-D2] [D-W2] Both ends are included, a cent beyond is refused.
    #[test]
    fn limits_include_both_ends() {
        let limits = Limits::default();
        for (cents, ok) in
            [(9_999, false), (10_000, true), (10_000_000, true), (10_000_001, false), (0, false), (-1, false)]
        {
            assert_eq!(limits.check_deposit(Cents::new(cents)).is_ok(), ok, "{cents}");
        }
        for (cents, ok) in [(0, false), (1, true), (5_000, true), (5_000_000, true), (5_000_001, false)] {
            assert_eq!(limits.check_withdrawal(Cents::new(cents)).is_ok(), ok, "{cents}");
        }
        for (cents, ok) in [(8_699, false), (8_700, true), (8_701, false)] {
            assert_eq!(check_course(Cents::new(cents)).is_ok(), ok, "{cents}");
        }
    }

    /// [D-B11] What is left comes from the stricter period, and from when on an amount fits by the later one.
    #[test]
    fn the_rest_is_what_the_strictest_period_leaves() {
        let day = |amount| Allowance { period: Duration::hours(24), amount: Cents::new(amount) };
        let month = |amount| Allowance { period: Duration::days(30), amount: Cents::new(amount) };
        let now = OffsetDateTime::UNIX_EPOCH + Duration::days(100);
        let ago = |hours, cents| Withdrawn { at: now - Duration::hours(hours), amount: Cents::new(cents) };
        let told = |allowances: &[Allowance], withdrawn: &[Withdrawn], wanted: Option<i64>| {
            let rest = rest(allowances, withdrawn, wanted.map(Cents::new), now).unwrap();
            (rest.left.get(), rest.available_at.map(|at| (at - now).whole_hours()))
        };
        let both = [day(100), month(150)];
        assert_eq!(told(&both, &[], Some(100)), (100, Some(0)));
        assert_eq!(told(&both, &[], Some(101)), (100, None));
        assert_eq!(told(&both, &[], None), (100, None));
        // Of the last hour and of three hours ago: the older one is the first to be free again.
        let today = [ago(3, 60), ago(1, 30)];
        assert_eq!(told(&both, &today, Some(10)), (10, Some(0)));
        assert_eq!(told(&both, &today, Some(11)), (10, Some(21)));
        assert_eq!(told(&[day(100)], &today, Some(71)), (10, Some(23)));
        assert_eq!(told(&both, &today, Some(71)), (10, Some(24 * 30 - 3)), "within the month, 61 would be too much");
        assert_eq!(told(&both, &today, None), (10, Some(21)));
        // A day ago to the second counts no more towards the day, but towards the month.
        let earlier = [ago(24 * 29, 100), ago(24, 40)];
        assert_eq!(told(&both, &earlier, Some(10)), (10, Some(0)));
        assert_eq!(told(&both, &earlier, Some(11)), (10, Some(24)));
        assert_eq!(told(&both, &[ago(24 * 30, 150)], Some(100)), (100, Some(0)));
    }

    /// [D-W2] Fee and net make up the gross.
    #[test]
    fn fee_and_net_make_up_the_gross() {
        assert_eq!(fee_and_net(Cents::new(5_000)), Ok((Cents::new(125), Cents::new(4_875))));
        assert_eq!(fee_and_net(Cents::new(5_020)), Ok((Cents::new(126), Cents::new(4_894))));
    }
}
