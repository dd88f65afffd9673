//! What payments on a chain say about a deposit or payout: the lines of the reviewer's checklist (D-Q4).

mod facts;

use chassis::money::Units;
use strum::IntoStaticStr;
use time::Duration;

use super::network;
use super::payment::{State, Way, confirmations};

pub use self::facts::{Basis, Facts, Owner, Rival, Search, Seen};

/// How old the last look at a chain may be, for what was seen then to count.
pub const FRESH: Duration = Duration::seconds(60);
/// Members may pay a little before they request the deposit.
const SKEW: Duration = Duration::minutes(10);

/// How long after its end a quote still claims what is paid: an exchange may take that long.
pub const JUST_ENDED: Duration = Duration::hours(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Verdict {
    Ok,
    Warn,
    Fail,
    /// Nothing can be said: neither that it is so nor that it is not.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub name: &'static str,
    pub verdict: Verdict,
    pub detail: String,
}

/// The lines of the checklist.
#[must_use]
pub fn checks(facts: &Facts<'_>) -> Vec<Check> {
    let mut all = vec![found(facts)];
    if facts.payments.is_empty() || matches!(facts.search, Search::Unknown(_) | Search::Unconfirmed) {
        return all;
    }
    all.extend([asset(facts), recipient(facts), units(facts), blocks(facts)]);
    if facts.way == Way::In {
        all.push(time(facts));
        all.extend(quote(facts));
    }
    all
}

fn line(name: &'static str, verdict: Verdict, detail: impl Into<String>) -> Check {
    Check { name, verdict, detail: detail.into() }
}

fn found(facts: &Facts<'_>) -> Check {
    let chain = network::title(&facts.asset.chain);
    let (verdict, detail) = match &facts.search {
        Search::Found if facts.payments.len() == 1 => (Verdict::Ok, format!("The payment was found on {chain}.")),
        Search::Found => (Verdict::Ok, format!("{} payments were found on {chain}.", facts.payments.len())),
        Search::NoHash if facts.way == Way::Out => (Verdict::Ok, "It has not been paid out yet.".to_owned()),
        Search::NoHash => (
            Verdict::Warn,
            "No transaction hash was given, and no payment of exactly the quoted amount has been seen.".to_owned(),
        ),
        Search::NoSuch => (Verdict::Fail, format!("There is no transaction with this hash on {chain}.")),
        Search::Elsewhere(other) => {
            (Verdict::Fail, format!("The transaction is on {}, and not on {chain}.", network::title(other)))
        }
        Search::Foreign { worthless: true } => (
            Verdict::Fail,
            "The transaction transfers nothing that counts: another token, perhaps of the same name, or an amount of zero."
                .to_owned(),
        ),
        Search::Foreign { worthless: false } => {
            (Verdict::Fail, "The transaction exists, and pays nothing to the platform.".to_owned())
        }
        Search::Hidden => (
            Verdict::Unknown,
            format!(
                "The transaction runs a contract. What a contract pays in the coin of {chain} cannot be seen here: look it up in a \
                 block explorer."
            ),
        ),
        Search::Unconfirmed => {
            (Verdict::Fail, format!("The payment was observed, but the node of {chain} does not show the same now."))
        }
        Search::Unobserved => (Verdict::Warn, "No payment with this hash has been observed.".to_owned()),
        Search::Reverted => (Verdict::Fail, "The transaction failed on the chain: it moved nothing.".to_owned()),
        Search::Consumed => {
            (Verdict::Fail, "Other requests account for everything that this transaction pays.".to_owned())
        }
        Search::Taken => (
            Verdict::Warn,
            "A payment that fits is named by another request, which may be undecided. See who sent it before either is approved."
                .to_owned(),
        ),
        Search::OtherWay if facts.way == Way::In => {
            (Verdict::Fail, "It is one of our payouts, and pays nothing to the platform.".to_owned())
        }
        Search::OtherWay => (Verdict::Fail, "It is a payment to the platform, and no payout.".to_owned()),
        Search::Unknown(reason) => {
            (Verdict::Unknown, format!("{chain} cannot be observed now ({reason}). The payment may or may not exist."))
        }
    };
    line("payment_found", verdict, detail)
}

fn asset(facts: &Facts<'_>) -> Check {
    let expected = &facts.asset.symbol;
    match facts.payments.iter().find(|one| one.symbol != *expected) {
        None => line("payment_asset", Verdict::Ok, format!("It is {expected}.")),
        Some(one) => line("payment_asset", Verdict::Fail, format!("It is {}, and not {expected}.", one.symbol)),
    }
}

fn recipient(facts: &Facts<'_>) -> Check {
    let is_right = facts.payments.iter().all(|one| one.is_at_address);
    let detail = match (facts.way, is_right) {
        (Way::In, true) if facts.is_own() => "It went to this member's own address: it is theirs, whatever the amount.",
        (Way::In, true) => "It went to the address that the member was shown.",
        (Way::In, false) => "It went to another address of the platform than the one that the member was shown.",
        (Way::Out | Way::Fee, true) => "It went to the member's destination.",
        (Way::Out | Way::Fee, false) => "It went somewhere else than to the member's destination.",
    };
    line("payment_recipient", if is_right { Verdict::Ok } else { Verdict::Fail }, detail)
}

fn units(facts: &Facts<'_>) -> Check {
    let name = "payment_units";
    let (decimals, symbol) = (facts.asset.decimals, &facts.asset.symbol);
    let Some(paid) = facts.paid() else {
        return line(name, Verdict::Unknown, "The amounts are too large to be added.");
    };
    let told = |units: Units| format!("{} {symbol}", units.whole(decimals));
    if facts.way != Way::In {
        return match facts.units_due {
            Some(due) if due == paid => {
                line(name, Verdict::Ok, format!("Exactly {}, as fixed when the payout was started.", told(paid)))
            }
            Some(due) => line(
                name,
                Verdict::Fail,
                format!("{} instead of {}: {} than was fixed.", told(paid), told(due), than(paid, due)),
            ),
            None => line(
                name,
                Verdict::Warn,
                format!("{}; the payout was not started, so no amount was fixed.", told(paid)),
            ),
        };
    }
    let worth = facts.value.map(|value| format!(" It is worth {value}; the member claims {}.", facts.claimed));
    let worth = worth.unwrap_or_default();
    match facts.units_due {
        Some(due) if due == paid => line(name, Verdict::Ok, format!("Exactly {} as quoted.{worth}", told(paid))),
        Some(due) => {
            let detail = format!("{} instead of {}: {} than quoted.{worth}", told(paid), told(due), than(paid, due));
            line(name, Verdict::Warn, detail)
        }
        None if facts.value.is_some_and(|value| value == facts.claimed) => {
            line(name, Verdict::Ok, format!("{}.{worth}", told(paid)))
        }
        None => line(name, Verdict::Warn, format!("{}, without a quote.{worth}", told(paid))),
    }
}

fn than(paid: Units, due: Units) -> &'static str {
    if paid > due { "more" } else { "less" }
}

fn blocks(facts: &Facts<'_>) -> Check {
    let name = "payment_confirmations";
    // The weakest decides.
    let rank = |one: &&Seen| match one.state {
        State::Failed | State::Replaced | State::Orphaned => (0, 0),
        State::Seen => (1, 0),
        State::Included => (2, one.block.as_ref().map_or(0, |block| confirmations(facts.tip, block.height))),
        State::Final => (3, 0),
    };
    let Some(one) = facts.payments.iter().min_by_key(rank) else {
        return line(name, Verdict::Unknown, "There is no payment.");
    };
    let (_, confirmed) = rank(&one);
    match one.state {
        State::Final => line(name, Verdict::Ok, "It is final."),
        State::Included => line(name, Verdict::Warn, format!("{confirmed} of {} confirmations.", one.depth)),
        State::Seen => line(name, Verdict::Warn, "It is in no block yet."),
        State::Replaced => {
            line(name, Verdict::Fail, format!("It was replaced: {} spent the same coins.", one.replaced_by))
        }
        State::Orphaned => line(name, Verdict::Fail, "Its block is not part of the chain any more."),
        State::Failed => line(name, Verdict::Fail, "It failed on the chain: it moved nothing."),
    }
}

fn time(facts: &Facts<'_>) -> Check {
    let name = "payment_time";
    let arrivals = || facts.payments.iter().map(|one| one.arrived_at);
    let first = arrivals().min().unwrap_or(facts.requested_at);
    let last = arrivals().max().unwrap_or(facts.requested_at);
    match facts.quote {
        Some(quote) if first < quote.created_at => {
            line(name, Verdict::Warn, "It arrived before the quote was made: the rate at its arrival applies.")
        }
        Some(quote) if last > quote.expires_at => {
            line(name, Verdict::Warn, "It came after the quote had expired: the rate at its arrival applies.")
        }
        Some(_) if facts.basis == Basis::Quote => {
            line(name, Verdict::Ok, "It came while the quote was open: the quoted rate applies.")
        }
        Some(_) => {
            let detail =
                "It came while the quote was open, but the amount is too different: the rate at its arrival applies.";
            line(name, Verdict::Warn, detail)
        }
        None if facts.is_own() => line(name, Verdict::Ok, "The rate at its arrival applies."),
        None if first < facts.requested_at - SKEW => {
            line(name, Verdict::Warn, "It was made before the deposit was requested.")
        }
        None if first < facts.requested_at => {
            line(name, Verdict::Ok, "It was made shortly before the deposit was requested.")
        }
        None => line(name, Verdict::Ok, "It came after the deposit was requested."),
    }
}

fn quote(facts: &Facts<'_>) -> Option<Check> {
    let name = "payment_quote";
    if facts.payments.iter().any(|one| one.owner == Owner::Other) {
        return Some(line(name, Verdict::Fail, "It went to the own address of another member: it is theirs."));
    }
    if facts.is_own() {
        return None;
    }
    let theirs = match (facts.rival, facts.quote) {
        (Some(Rival::Exact), _) => Some("It is exactly what the quote of another member asks for."),
        (Some(Rival::Near), Some(_)) => {
            Some("It is nearer to the quote of another member than to that of this member.")
        }
        (Some(Rival::Near), None) => Some(
            "Another member has a quote of nearly this amount, and this member has none. Ask for a proof that they sent it.",
        ),
        (None, _) => None,
    };
    if let Some(detail) = theirs {
        return Some(line(name, Verdict::Fail, detail));
    }
    facts.quote?;
    let is_exact = facts.units_due.is_some() && facts.units_due == facts.paid();
    Some(if is_exact {
        line(name, Verdict::Ok, "It matches this member's quote exactly.")
    } else {
        line(name, Verdict::Warn, "It matches no open quote exactly.")
    })
}

#[cfg(test)]
mod tests {
    use chassis::money::{Cents, Units};
    use time::{Duration, OffsetDateTime};

    use super::{Basis, Facts, Owner, Rival, Search, Seen, Verdict, checks};
    use crate::domain::payment::{Block, State, Way};
    use crate::domain::quote::Asset;

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn units(number: i128) -> Units {
        Units::new(number).expect("not negative")
    }

    fn bitcoin() -> Asset {
        let (chain, symbol, contract) = ("bitcoin".to_owned(), "BTC".to_owned(), String::new());
        Asset { chain, symbol, contract, decimals: 8, tail_step: 1, pegged: false }
    }

    fn seen(state: State, height: i64) -> Seen {
        Seen {
            symbol: "BTC".to_owned(),
            is_at_address: true,
            owner: Owner::Shared,
            units: units(513_809),
            state,
            depth: 3,
            block: Some(Block { height, hash: String::new(), at: NOW }),
            replaced_by: "ff".to_owned(),
            arrived_at: NOW,
        }
    }

    fn verdicts(payments: &[Seen], change: impl Fn(&mut Facts<'_>)) -> Vec<(&'static str, Verdict)> {
        let asset = bitcoin();
        let mut facts = Facts {
            way: Way::In,
            asset: &asset,
            search: Search::Found,
            payments,
            tip: 101,
            requested_at: NOW,
            units_due: Some(units(513_809)),
            quote: None,
            rival: None,
            claimed: Cents::new(50_000),
            value: Some(Cents::new(50_000)),
            basis: Basis::Arrival,
        };
        change(&mut facts);
        checks(&facts).into_iter().map(|check| (check.name, check.verdict)).collect()
    }

    fn of(all: &[(&'static str, Verdict)], name: &str) -> Option<Verdict> {
        all.iter().find(|(found, _)| *found == name).map(|(_, verdict)| *verdict)
    }

    /// [D-Q4] Each state of a payment is a state of its line; the weakest of several decides.
    #[test]
    fn states_become_lines() {
        for (state, verdict) in [
            (State::Final, Verdict::Ok),
            (State::Included, Verdict::Warn),
            (State::Seen, Verdict::Warn),
            (State::Orphaned, Verdict::Fail),
            (State::Replaced, Verdict::Fail),
            (State::Failed, Verdict::Fail),
        ] {
            let all = verdicts(&[seen(State::Final, 90), seen(state, 100)], |facts| facts.units_due = None);
            assert_eq!(of(&all, "payment_confirmations"), Some(verdict), "{state:?}");
        }
    }

    /// [D-Q4] Another asset and another recipient fail; another amount, or a payment from before, is worth a look.
    #[test]
    fn differences_become_lines() {
        let right = seen(State::Final, 100);
        assert!(verdicts(std::slice::from_ref(&right), |_| {}).iter().all(|(_, verdict)| *verdict == Verdict::Ok));
        let ether = Seen { symbol: "ETH".to_owned(), ..right.clone() };
        assert_eq!(of(&verdicts(&[ether], |_| {}), "payment_asset"), Some(Verdict::Fail));
        let elsewhere = Seen { is_at_address: false, ..right.clone() };
        assert_eq!(of(&verdicts(&[elsewhere], |_| {}), "payment_recipient"), Some(Verdict::Fail));
        let less = Seen { units: units(513_808), ..right.clone() };
        assert_eq!(of(&verdicts(&[less], |_| {}), "payment_units"), Some(Verdict::Warn));
        let all = verdicts(std::slice::from_ref(&right), |facts| facts.requested_at = NOW + Duration::minutes(11));
        assert_eq!(of(&all, "payment_time"), Some(Verdict::Warn));
        // A payout is exactly what was fixed, or wrong.
        for (paid, due, verdict) in [
            (513_809, Some(513_809), Verdict::Ok),
            (513_808, Some(513_809), Verdict::Fail),
            (513_810, Some(513_809), Verdict::Fail),
            (513_809, None, Verdict::Warn),
        ] {
            let payout = Seen { units: units(paid), ..right.clone() };
            let all = verdicts(&[payout], |facts| (facts.way, facts.units_due) = (Way::Out, due.map(units)));
            assert_eq!(of(&all, "payment_units"), Some(verdict), "{paid} instead of {due:?}");
        }
        for rival in [Rival::Exact, Rival::Near] {
            let all = verdicts(std::slice::from_ref(&right), |facts| facts.rival = Some(rival));
            assert_eq!(of(&all, "payment_quote"), Some(Verdict::Fail));
        }
    }

    /// [D-N2] What arrived at the member's own address is theirs, regardless of the amount: no quote of anybody matters, and nothing
    /// fails. Claimed by somebody else, it fails, also with an exact quote.
    #[test]
    fn own_addresses_decide_whose_it_is() {
        let own = Seen { owner: Owner::Member, units: units(400_000), ..seen(State::Final, 100) };
        let all = verdicts(std::slice::from_ref(&own), |facts| facts.requested_at = NOW + Duration::days(1));
        assert_eq!(of(&all, "payment_recipient"), Some(Verdict::Ok));
        assert_eq!(of(&all, "payment_units"), Some(Verdict::Warn));
        assert_eq!((of(&all, "payment_time"), of(&all, "payment_quote")), (Some(Verdict::Ok), None));
        let other = Seen { owner: Owner::Other, is_at_address: false, ..seen(State::Final, 100) };
        let all = verdicts(&[other], |_| {});
        assert_eq!(of(&all, "payment_recipient"), Some(Verdict::Fail));
        assert_eq!(of(&all, "payment_quote"), Some(Verdict::Fail));
    }

    /// [D-Q4] Case 18: a chain that cannot be observed is unknown, and never "not found"; last known payments say nothing.
    #[test]
    fn a_chain_that_is_down_is_unknown() {
        let unknown = |facts: &mut Facts<'_>| facts.search = Search::Unknown("stale".to_owned());
        assert_eq!(verdicts(&[], unknown), [("payment_found", Verdict::Unknown)]);
        assert_eq!(verdicts(&[seen(State::Final, 1)], unknown), [("payment_found", Verdict::Unknown)]);
        let gone = verdicts(&[], |facts| facts.search = Search::NoSuch);
        assert_eq!(gone, [("payment_found", Verdict::Fail)]);
    }
}
