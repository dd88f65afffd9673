//! Limits and prices of the house.

use chassis::error::Refusal;
use chassis::money::{AmountError, Cents};

/// The fee of a withdrawal in hundredths of a percent: 2.5 %.
const FEE_BASIS_POINTS: u32 = 250;

/// What the course costs.
pub const COURSE_PRICE: Cents = Cents::new(8_700);
/// From here on a withdrawal takes two people.
pub const TWO_PEOPLE_FROM: Cents = Cents::new(100_000);

/// Amounts that are accepted, both ends included.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The least deposit.
    pub deposit_min: Cents,
    /// The largest deposit.
    pub deposit_max: Cents,
    /// A deposit of which this much or more was received takes two reviewers.
    pub deposit_second_reviewer_from: Cents,
    /// Deposits and course payments of one member that may wait for review at once.
    pub pending_deposits: i64,
    /// The least withdrawal.
    pub withdrawal_min: Cents,
    /// The largest withdrawal.
    pub withdrawal_max: Cents,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deposit_min: Cents::new(10_000),
            deposit_max: Cents::new(10_000_000),
            deposit_second_reviewer_from: Cents::new(1_000_000),
            pending_deposits: 5,
            withdrawal_min: Cents::new(5_000),
            withdrawal_max: Cents::new(5_000_000),
        }
    }
}

impl Limits {
    /// Whether a deposit of this amount is accepted.
    ///
    /// # Errors
    /// Invalid on the field `amount`.
    pub fn check_deposit(&self, amount: Cents) -> Result<(), Refusal> {
        within("Deposits", amount, self.deposit_min, self.deposit_max)
    }

    /// Whether a withdrawal of this amount is accepted.
    ///
    /// # Errors
    /// Invalid on the field `amount`.
    pub fn check_withdrawal(&self, amount: Cents) -> Result<(), Refusal> {
        within("Withdrawals", amount, self.withdrawal_min, self.withdrawal_max)
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

    use super::{Limits, check_course, fee_and_net};

    /// [D-D2] [D-W2] Both ends are included, a cent beyond is refused.
    #[test]
    fn limits_include_both_ends() {
        let limits = Limits::default();
        for (cents, ok) in
            [(9_999, false), (10_000, true), (10_000_000, true), (10_000_001, false), (0, false), (-1, false)]
        {
            assert_eq!(limits.check_deposit(Cents::new(cents)).is_ok(), ok, "{cents}");
        }
        for (cents, ok) in [(4_999, false), (5_000, true), (5_000_000, true), (5_000_001, false)] {
            assert_eq!(limits.check_withdrawal(Cents::new(cents)).is_ok(), ok, "{cents}");
        }
        for (cents, ok) in [(8_699, false), (8_700, true), (8_701, false)] {
            assert_eq!(check_course(Cents::new(cents)).is_ok(), ok, "{cents}");
        }
    }

    /// [D-W2] Fee and net make up the gross.
    #[test]
    fn fee_and_net_make_up_the_gross() {
        assert_eq!(fee_and_net(Cents::new(5_000)), Ok((Cents::new(125), Cents::new(4_875))));
        assert_eq!(fee_and_net(Cents::new(5_020)), Ok((Cents::new(126), Cents::new(4_894))));
    }
}
