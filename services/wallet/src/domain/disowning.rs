//! What a member takes back who reports that someone else used the account (D-M10).

use time::{Duration, OffsetDateTime};

use crate::domain::transaction::{Status, Transaction};

/// How far a report reaches back: the life of the links by which members make it.
const REACH: Duration = Duration::hours(72);

/// A report that someone else used an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    pub at: OffsetDateTime,
}

impl Report {
    /// From when on what was done with the account is taken back.
    #[must_use]
    pub fn since(self) -> OffsetDateTime {
        self.at - REACH
    }

    /// Whether an open withdrawal was requested, or its destination became known, in that time. One that the owner requests
    /// after the report is not covered, however late the report is read.
    #[must_use]
    pub fn covers(self, one: &Transaction) -> bool {
        let Some(withdrawal) = one.as_withdrawal() else { return false };
        let is_young = |at| at >= self.since();
        one.status == Status::Pending
            && one.created_at <= self.at
            && (is_young(one.created_at) || withdrawal.known_at.is_none_or(is_young))
    }
}

#[cfg(test)]
mod tests {
    use chassis::id::{MemberId, MethodId};
    use chassis::money::Cents;
    use time::macros::datetime;

    use super::*;
    use crate::domain::transaction::{Destination, MethodCopy};

    const REPORTED: OffsetDateTime = datetime!(2026-05-05 12:00 UTC);

    fn withdrawal(requested: Duration, known: Option<Duration>) -> Transaction {
        let method = MethodCopy {
            id: MethodId::default(),
            currency: "USDT".to_owned(),
            network: "TRC20".to_owned(),
            address: String::new(),
            memo: String::new(),
            version: 0,
        };
        let to = Destination { address: "T".to_owned(), memo: String::new() };
        let to = (Some(to), known.map(|before| REPORTED - before));
        Transaction::withdrawal(MemberId::default(), Cents::new(10_000), method, to, REPORTED - requested).unwrap()
    }

    /// [D-M10] A report covers what was requested or confirmed in the 72 hours before it, and what was never confirmed.
    #[test]
    fn a_report_covers_what_is_younger_than_its_link() {
        let (young, old, later) = (Duration::hours(71), Duration::hours(73), Duration::seconds(-1));
        let covers = |requested, known| Report { at: REPORTED }.covers(&withdrawal(requested, known));
        assert!(
            covers(young, Some(young)) && covers(young, Some(old)) && covers(old, Some(young)) && covers(old, None)
        );
        assert!(!covers(old, Some(old)));
        assert!(!covers(later, Some(young)) && !covers(later, None), "the owner's own, after the report");
        let mut decided = withdrawal(young, None);
        decided.cancel(REPORTED);
        assert!(!Report { at: REPORTED }.covers(&decided));
    }
}
