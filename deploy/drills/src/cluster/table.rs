//! The report of the trials.

use std::time::Duration;

use super::{faults::Fault, history::Figures};
use audit::Verdict;

/// One trial.
pub struct Row {
    pub fault: Fault,
    pub evidence: String,
    /// From the fault until every server was well again.
    pub healed_after: Duration,
    pub figures: Figures,
    /// What the audit found broken.
    pub broken: Vec<Verdict>,
}

pub const HEAD: &str =
    "fault                     write gap   p99  read gap  healed    ack  open/done  lost  double  refused  audit";

impl Row {
    /// What is wrong with it.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let figures = &self.figures;
        let mut wrong: Vec<_> = figures.lost.iter().map(|one| format!("lost: {one}")).collect();
        wrong.extend(figures.duplicated.iter().map(|one| format!("not acknowledged, but done: {one}")));
        wrong.extend(figures.given_up.iter().map(|one| format!("no final answer: {one}")));
        if figures.acknowledged == 0 {
            wrong.push("nothing was acknowledged".to_owned());
        }
        if figures.write_gap > self.fault.gap_limit() {
            wrong.push(format!("writers waited for more than {} s", self.fault.gap_limit().as_secs()));
        }
        for verdict in &self.broken {
            wrong.push(format!("audit: [{}] {}: {}", verdict.ids, verdict.promise, verdict.offending.join("; ")));
        }
        wrong
    }

    #[must_use]
    pub fn line(&self) -> String {
        let figures = &self.figures;
        let (open, done) = figures.unanswered;
        format!(
            "{:25} {:7.1} s {:5.1} s {:6.1} s {:5.1} s {:6} {:>10} {:5} {:7} {:8}  {}",
            self.fault.name(),
            figures.write_gap.as_secs_f64(),
            figures.p99.as_secs_f64(),
            figures.read_gap.as_secs_f64(),
            self.healed_after.as_secs_f64(),
            figures.acknowledged,
            format!("{open}/{done}"),
            figures.lost.len(),
            figures.duplicated.len(),
            figures.refused.values().sum::<u32>(),
            if self.broken.is_empty() { "clean".to_owned() } else { format!("{} broken", self.broken.len()) },
        )
    }
}
