//! Checks that the history of a member's calls is linearisable: there is an order of the calls, each taking effect at
//! one moment between its first request and its final answer, that fits every balance that was read and every refusal.
//! Uses the search of Wing and Gong.

use std::collections::HashSet;
use std::fmt;

use tokio::time::Instant;

/// Balances of a member, in cents.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Balances {
    pub available: i64,
    pub held: i64,
    pub invested: i64,
    pub bonus: i64,
}

impl Balances {
    fn plus(self, change: Self) -> Self {
        Self {
            available: self.available + change.available,
            held: self.held + change.held,
            invested: self.invested + change.invested,
            bonus: self.bonus + change.bonus,
        }
    }

    fn is_possible(self) -> bool {
        self.available >= 0 && self.held >= 0 && self.invested >= 0 && self.bonus >= 0
    }
}

/// What a call did, by its final answer.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    /// It changed the balances by this much.
    Changed(Balances),
    /// It was refused, because less than this was available.
    TooLittle(i64),
    /// It saw these balances.
    Saw(Balances),
}

impl Effect {
    /// The balances after it, if it may happen at these.
    fn after(self, before: Balances) -> Option<Balances> {
        match self {
            Self::Changed(change) => Some(before.plus(change)).filter(|after| after.is_possible()),
            Self::TooLittle(least) => (before.available < least).then_some(before),
            Self::Saw(seen) => (before == seen).then_some(before),
        }
    }
}

/// A call from its first request to its final answer.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: String,
    pub begun: Instant,
    pub ended: Instant,
    pub effect: Effect,
}

/// A call whose answer fits no order of the calls.
#[derive(Debug)]
pub struct Unexplained {
    call: Call,
    /// Balances that were possible before it.
    possible: Vec<Balances>,
    /// The calls that overlapped with it.
    beside: Vec<String>,
}

impl fmt::Display for Unexplained {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} {:?} does not fit any order of the calls: the balances before it could be {:?}, and these calls overlapped with it: {:?}",
            self.call.name, self.call.effect, self.possible, self.beside
        )
    }
}

/// The balances that are possible after all calls: one for each outcome of the orders that fit.
///
/// # Errors
/// The first call that fits no order.
pub fn check(start: Balances, calls: &[Call]) -> Result<Vec<Balances>, Box<Unexplained>> {
    let mut events: Vec<(Instant, bool, usize)> = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        events.push((call.begun, false, number));
        events.push((call.ended, true, number));
    }
    // Of events at the same moment, beginnings come first: more orders are allowed that way, never fewer.
    events.sort_by_key(|(at, is_end, _)| (*at, *is_end));
    let mut under_way: Vec<usize> = Vec::new();
    // The balances, and the calls in progress that have already taken effect.
    let mut states = HashSet::from([(start, Vec::<usize>::new())]);
    for (_, is_end, number) in events {
        if !is_end {
            under_way.push(number);
            continue;
        }
        let next = after(&states, number, &under_way, calls);
        if next.is_empty() {
            let mut possible: Vec<_> = states.into_iter().map(|(balances, _)| balances).collect();
            possible.truncate(8);
            let beside = under_way.iter().filter(|other| **other != number);
            let beside = beside.map(|other| format!("{} {:?}", calls[*other].name, calls[*other].effect)).collect();
            return Err(Box::new(Unexplained { call: calls[number].clone(), possible, beside }));
        }
        under_way.retain(|other| *other != number);
        states = next;
    }
    let ends: HashSet<_> = states.into_iter().map(|(balances, _)| balances).collect();
    Ok(ends.into_iter().collect())
}

type States = HashSet<(Balances, Vec<usize>)>;

/// The states in which a call that ends now has taken effect, reached by letting any of those under way take effect first.
fn after(states: &States, number: usize, under_way: &[usize], calls: &[Call]) -> States {
    let mut ended = States::new();
    let mut seen = states.clone();
    let mut open: Vec<_> = states.iter().cloned().collect();
    while let Some((balances, done)) = open.pop() {
        if done.contains(&number) {
            let rest = done.into_iter().filter(|other| *other != number).collect();
            ended.insert((balances, rest));
            continue;
        }
        for other in under_way.iter().filter(|other| !done.contains(other)) {
            let Some(later) = calls[*other].effect.after(balances) else { continue };
            let mut with = done.clone();
            with.push(*other);
            with.sort_unstable();
            let state = (later, with);
            if seen.insert(state.clone()) {
                open.push(state);
            }
        }
    }
    ended
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const START: Balances = Balances { available: 1_000, held: 0, invested: 0, bonus: 0 };

    fn calls(calls: &[(u64, u64, Effect)]) -> Vec<Call> {
        let zero = Instant::now();
        let at = |ms| zero + Duration::from_millis(ms);
        let call = |(number, (begun, ended, effect)): (usize, &(u64, u64, Effect))| Call {
            name: number.to_string(),
            begun: at(*begun),
            ended: at(*ended),
            effect: *effect,
        };
        calls.iter().enumerate().map(call).collect()
    }

    fn changed(available: i64) -> Effect {
        Effect::Changed(Balances { available, ..Balances::default() })
    }

    fn saw(available: i64) -> Effect {
        Effect::Saw(Balances { available, ..Balances::default() })
    }

    /// [Q1] A read sees what had been answered before it, and may see what runs beside it.
    #[test]
    fn a_read_beside_a_call_may_see_it_or_not() {
        for seen in [700, 1_000] {
            let history = calls(&[(0, 10, changed(-300)), (5, 6, saw(seen)), (11, 12, saw(700))]);
            assert!(check(START, &history).is_ok(), "{seen}");
        }
        assert!(check(START, &calls(&[(0, 10, changed(-300)), (11, 12, saw(1_000))])).is_err(), "lost");
        assert!(check(START, &calls(&[(0, 10, changed(-300)), (11, 12, saw(400))])).is_err(), "twice");
        assert!(check(START, &calls(&[(5, 10, changed(-300)), (0, 4, saw(700))])).is_err(), "too early");
    }

    /// [Q1] What one read has seen, no later one misses.
    #[test]
    fn reads_do_not_go_back() {
        let history = calls(&[(0, 20, changed(-300)), (1, 5, saw(700)), (6, 9, saw(1_000))]);
        assert!(check(START, &history).is_err());
    }

    /// [L4] A refusal needs a moment at which too little was there, and no call makes a balance negative.
    #[test]
    fn refusals_are_explained() {
        let race = calls(&[(0, 10, changed(-900)), (5, 12, Effect::TooLittle(200))]);
        assert!(check(START, &race).is_ok());
        assert!(check(START, &calls(&[(0, 10, Effect::TooLittle(200))])).is_err());
        assert!(check(START, &calls(&[(0, 10, changed(-900)), (0, 10, changed(-200))])).is_err());
    }
}
