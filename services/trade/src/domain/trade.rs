//! A trade, its value, and how it can end (D-I1, D-I4).

use chassis::id::{MemberId, PlanId, TradeId};
use chassis::money::{AmountError, Cents};
use strum::{EnumString, IntoStaticStr};
use time::{Duration, OffsetDateTime};

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Status {
    /// Decided; wallet is asked for the money.
    Opening,
    /// Funded and live.
    Open,
    /// Its end is decided; wallet is asked to pay.
    Settling,
    /// Paid with a gain.
    Claimed,
    /// Paid without a gain.
    Closed,
    /// Wallet refused the opening.
    Failed,
}

/// How a member ends a trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Ending {
    /// Above its amount: principal and gain.
    Claim,
    /// Not above its amount: what is left.
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settlement {
    pub ending: Ending,
    /// What is paid: the value less the exit fee.
    pub value: Cents,
    /// What stays in the plan because the member leaves early.
    pub fee: Cents,
}

/// Why a trade cannot end this way now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CannotEnd {
    /// It is not open yet, or was never opened.
    NotOpen,
    /// Its end is decided, no matter who decided it.
    AlreadyClosed,
    /// It stands above its amount: it can be claimed.
    InProfit,
    /// It does not stand above its amount: it can be closed.
    NotInProfit,
    /// Its value is past all bounds.
    Value(AmountError),
}

/// One investment of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trade {
    /// Its id; the key of both its postings in wallet.
    pub id: TradeId,
    pub user_id: MemberId,
    pub plan_id: PlanId,
    /// The plan's title at opening.
    pub plan_title: String,
    /// The plan's target at opening.
    pub roi_basis_points: i32,
    /// The plan's duration at opening.
    pub duration_days: i32,
    /// Which version of the plan's terms hold; unset for trades from before this was kept.
    pub plan_version: Option<i32>,
    /// Who leaves earlier pays the exit fee, as copied from the plan.
    pub min_holding_days: i32,
    /// In hundredths of a percent of the value, as copied from the plan.
    pub exit_fee_basis_points: i32,
    pub amount: Cents,
    /// The plan's value at opening, in millionths.
    pub opening_value_micros: i64,
    /// The plan's value in force now, or at maturity, in millionths.
    pub value_in_force_micros: i64,
    /// Which moment "now" is.
    pub seen_at: OffsetDateTime,
    pub status: Status,
    /// Its end, once decided.
    pub settlement: Option<Settlement>,
    pub created_at: OffsetDateTime,
    /// When its value is frozen.
    pub matures_at: OffsetDateTime,
    /// When it was paid.
    pub ended_at: Option<OffsetDateTime>,
    /// Since when its payout waits for the cash of its plan.
    pub cash_short_since: Option<OffsetDateTime>,
}

// === impl Trade ===

impl Trade {
    /// floor(amount x value in force / value at opening), the same rule for every member; frozen once its end is decided.
    ///
    /// # Errors
    /// If it does not fit an amount.
    pub fn current_value(&self) -> Result<Cents, AmountError> {
        match (self.settlement, self.status) {
            (Some(settlement), _) => Ok(settlement.value),
            (None, Status::Opening | Status::Failed) => Ok(self.amount),
            (None, _) => self.amount.scaled_floor(self.value_in_force_micros, self.opening_value_micros),
        }
    }

    /// Until when leaving costs the exit fee; unset without one.
    #[must_use]
    pub fn exit_fee_until(&self) -> Option<OffsetDateTime> {
        (self.exit_fee_basis_points > 0).then(|| maturity(self.created_at, self.min_holding_days))
    }

    /// What leaving now costs, or what leaving has cost. It protects those who stay from members who step in and out around
    /// a published value.
    ///
    /// # Errors
    /// If the value does not fit an amount.
    pub fn exit_fee(&self) -> Result<Cents, AmountError> {
        match (self.settlement, self.exit_fee_until()) {
            (Some(settlement), _) => Ok(settlement.fee),
            (None, Some(until)) if self.seen_at < until => {
                let basis_points = u32::try_from(self.exit_fee_basis_points).map_err(|_| AmountError::OutOfRange)?;
                self.current_value()?.share_half_up(basis_points)
            }
            _ => Ok(Cents::ZERO),
        }
    }

    /// Decides an end by the value at this moment, before the exit fee.
    ///
    /// # Errors
    /// If it cannot end, or not this way.
    pub fn end(&self, ending: Ending) -> Result<Settlement, CannotEnd> {
        match self.status {
            Status::Open => {}
            Status::Opening | Status::Failed => return Err(CannotEnd::NotOpen),
            Status::Settling | Status::Claimed | Status::Closed => return Err(CannotEnd::AlreadyClosed),
        }
        let value = self.current_value().map_err(CannotEnd::Value)?;
        match ending {
            Ending::Claim if value <= self.amount => Err(CannotEnd::NotInProfit),
            Ending::Close if value > self.amount => Err(CannotEnd::InProfit),
            _ => {
                let fee = self.exit_fee().map_err(CannotEnd::Value)?;
                Ok(Settlement { ending, value: value.minus(fee).map_err(CannotEnd::Value)?, fee })
            }
        }
    }

    /// As it was when it opened: what the call that opened it answers, however late it is repeated.
    #[must_use]
    pub fn as_opened(self) -> Self {
        Self {
            status: Status::Open,
            settlement: None,
            ended_at: None,
            cash_short_since: None,
            value_in_force_micros: self.opening_value_micros,
            seen_at: self.created_at,
            ..self
        }
    }
}

impl Ending {
    /// Where the trade stands once it is paid.
    #[must_use]
    pub fn status(self) -> Status {
        match self {
            Self::Claim => Status::Claimed,
            Self::Close => Status::Closed,
        }
    }
}

/// When a trade opened then is frozen, or free of the exit fee.
#[must_use]
pub fn maturity(created_at: OffsetDateTime, duration_days: i32) -> OffsetDateTime {
    created_at.saturating_add(Duration::days(i64::from(duration_days)))
}

#[cfg(test)]
mod tests {
    use chassis::id::{MemberId, PlanId, TradeId};
    use chassis::money::Cents;
    use time::{Duration, OffsetDateTime};

    use super::{CannotEnd, Ending, Settlement, Status, Trade, maturity};

    fn trade(value_in_force_micros: i64) -> Trade {
        Trade {
            id: TradeId::default(),
            user_id: MemberId::default(),
            plan_id: PlanId::default(),
            plan_title: "Starter".to_owned(),
            roi_basis_points: 1_000,
            duration_days: 30,
            plan_version: Some(1),
            min_holding_days: 0,
            exit_fee_basis_points: 0,
            amount: Cents::new(10_001),
            opening_value_micros: 1_000_000,
            value_in_force_micros,
            seen_at: OffsetDateTime::UNIX_EPOCH,
            status: Status::Open,
            settlement: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
            matures_at: maturity(OffsetDateTime::UNIX_EPOCH, 30),
            ended_at: None,
            cash_short_since: None,
        }
    }

    /// [D-I1] floor(amount x value / value at opening).
    #[test]
    fn the_value_follows_the_plan_and_is_rounded_down() {
        for (micros, cents) in
            [(1_000_000, 10_001), (1_050_000, 10_501), (999_999, 10_000), (1, 0), (3_000_001, 30_003)]
        {
            assert_eq!(trade(micros).current_value(), Ok(Cents::new(cents)), "{micros}");
        }
    }

    /// [D-I4] The value at that moment decides: above the amount it is claimed, else closed.
    #[test]
    fn the_value_decides_which_end_is_possible() {
        let above = trade(1_100_000);
        assert_eq!(
            above.end(Ending::Claim),
            Ok(Settlement { ending: Ending::Claim, value: Cents::new(11_001), fee: Cents::ZERO })
        );
        assert_eq!(above.end(Ending::Close), Err(CannotEnd::InProfit));
        for micros in [1_000_000, 900_000] {
            assert_eq!(trade(micros).end(Ending::Claim), Err(CannotEnd::NotInProfit));
            assert!(trade(micros).end(Ending::Close).is_ok());
        }
        // A gain below one cent is no gain.
        let barely = trade(1_000_001);
        assert_eq!(barely.end(Ending::Claim), Err(CannotEnd::NotInProfit));
    }

    /// [D-T1] Who leaves within the minimum holding time pays the exit fee, half up; the value before the fee decides which end
    /// is possible.
    #[test]
    fn leaving_early_costs_the_exit_fee() {
        let early = Trade { min_holding_days: 7, exit_fee_basis_points: 100, ..trade(1_005_000) };
        assert_eq!(early.exit_fee_until(), Some(OffsetDateTime::UNIX_EPOCH + Duration::days(7)));
        let paid = Settlement { ending: Ending::Claim, value: Cents::new(9_950), fee: Cents::new(101) };
        assert_eq!(early.end(Ending::Claim), Ok(paid));
        assert_eq!(early.end(Ending::Close), Err(CannotEnd::InProfit));
        let last = OffsetDateTime::UNIX_EPOCH + Duration::days(7) - Duration::microseconds(1);
        assert_eq!(Trade { seen_at: last, ..early.clone() }.exit_fee(), Ok(Cents::new(101)));
        let late = Trade { seen_at: OffsetDateTime::UNIX_EPOCH + Duration::days(7), ..early.clone() };
        assert_eq!(late.exit_fee(), Ok(Cents::ZERO));
        assert_eq!(late.end(Ending::Claim).map(|paid| paid.value), Ok(Cents::new(10_051)));
        let ended = Trade { status: Status::Claimed, settlement: Some(paid), ..late };
        assert_eq!((ended.current_value(), ended.exit_fee()), (Ok(Cents::new(9_950)), Ok(Cents::new(101))));
        assert_eq!(trade(1_005_000).exit_fee_until(), None);
    }

    /// [D-I4] [T2] Only an open trade can end.
    #[test]
    fn only_an_open_trade_can_end() {
        for (status, refusal) in [
            (Status::Opening, CannotEnd::NotOpen),
            (Status::Failed, CannotEnd::NotOpen),
            (Status::Settling, CannotEnd::AlreadyClosed),
            (Status::Claimed, CannotEnd::AlreadyClosed),
            (Status::Closed, CannotEnd::AlreadyClosed),
        ] {
            let trade = Trade { status, ..trade(1_100_000) };
            assert_eq!(trade.end(Ending::Claim), Err(refusal));
            assert_eq!(trade.end(Ending::Close), Err(refusal));
        }
    }

    /// [D-I1] Once the end is decided, the plan's value has no effect any more.
    #[test]
    fn a_decided_value_is_frozen() {
        let settlement = Some(Settlement { ending: Ending::Claim, value: Cents::new(12_000), fee: Cents::ZERO });
        let trade = Trade { status: Status::Settling, settlement, ..trade(9_000_000) };
        assert_eq!(trade.current_value(), Ok(Cents::new(12_000)));
        assert_eq!(trade.as_opened().current_value(), Ok(Cents::new(10_001)));
    }
}
