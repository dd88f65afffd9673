//! Ordering of concurrent deliveries: those of one aggregate are handled one after another.

use std::collections::HashMap;

use tokio::sync::watch;
use uuid::Uuid;

/// The last delivery of each aggregate that has one at work.
#[derive(Default)]
pub struct Lanes(HashMap<Uuid, watch::Receiver<bool>>);

/// The place of one delivery behind that before it.
pub struct Turn {
    before: Option<watch::Receiver<bool>>,
    /// Becomes true when the delivery is settled; dropped before, it was left to the broker.
    after: watch::Sender<bool>,
}

impl Lanes {
    /// Takes a place, in the order of the calls.
    pub fn line_up(&mut self, aggregate: Uuid) -> Turn {
        // What was left to the broker stays here, so that nothing overtakes it.
        self.0.retain(|_, last| !*last.borrow());
        let (after, last) = watch::channel(false);
        Turn { before: self.0.insert(aggregate, last), after }
    }
}

impl Turn {
    /// Runs the work when the delivery before is settled. Work that answers `false` left its delivery to the broker, and so
    /// are those behind it left, without being begun.
    pub async fn take(self, work: impl Future<Output = anyhow::Result<bool>>) -> anyhow::Result<()> {
        if let Some(mut before) = self.before
            && before.wait_for(|is_settled| *is_settled).await.is_err()
        {
            return Ok(());
        }
        if work.await? {
            self.after.send_replace(true);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use anyhow::anyhow;
    use tokio::task::{JoinSet, yield_now};
    use uuid::Uuid;

    use super::Lanes;

    /// [Q5] Sixteen deliveries at once of two aggregates: each aggregate's are handled in their order, no matter what takes long.
    #[tokio::test(flavor = "multi_thread")]
    async fn deliveries_of_an_aggregate_keep_their_order() {
        let (mut lanes, mut at_work, done) = (Lanes::default(), JoinSet::new(), Arc::new(Mutex::new(Vec::new())));
        let aggregates = [Uuid::new_v4(), Uuid::new_v4()];
        for (number, aggregate) in (0..16).zip(aggregates.into_iter().cycle()) {
            let (turn, done) = (lanes.line_up(aggregate), Arc::clone(&done));
            at_work.spawn(turn.take(async move {
                for _ in number..16 {
                    yield_now().await;
                }
                done.lock().expect("no panic while held").push((aggregate, number));
                Ok(true)
            }));
        }
        while let Some(ended) = at_work.join_next().await {
            ended.expect("no panic").expect("it succeeds");
        }
        let done = done.lock().expect("no panic while held").clone();
        assert_eq!(done.len(), 16);
        for aggregate in aggregates {
            let numbers: Vec<_> = done.iter().filter(|(of, _)| *of == aggregate).map(|(_, number)| *number).collect();
            assert!(numbers.is_sorted(), "{numbers:?}");
        }
    }

    /// [Q5] A delivery behind one of the same aggregate that was left or failed is not started, even if it arrives later.
    /// Deliveries of other aggregates are.
    #[tokio::test]
    async fn nothing_overtakes_what_was_left() {
        let mut lanes = Lanes::default();
        let (left, failed) = (Uuid::new_v4(), Uuid::new_v4());
        let (first, second) = (lanes.line_up(left), lanes.line_up(left));
        first.take(async { Ok(false) }).await.expect("it is left");
        second.take(async { panic!("it overtook") }).await.expect("it is left too");
        lanes.line_up(left).take(async { panic!("it overtook") }).await.expect("so is a later one");
        let (first, second) = (lanes.line_up(failed), lanes.line_up(failed));
        first.take(async { Err(anyhow!("away")) }).await.expect_err("it fails");
        second.take(async { panic!("it overtook") }).await.expect("it is left");
        lanes.line_up(Uuid::new_v4()).take(async { Ok(true) }).await.expect("another aggregate goes on");
    }
}
