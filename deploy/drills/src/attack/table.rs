//! The table of an attack, and its verdict.

use crate::attack::members::Figures;
use crate::attack::memory::ACCEPTED;

/// What a case did.
pub struct Row {
    pub name: &'static str,
    pub sent: &'static str,
    pub outcome: String,
    /// What the case found wrong with the answers.
    pub finding: Option<String>,
    /// The most memory of the gateway, in bytes.
    pub peak: u64,
    pub members: Figures,
    /// Whether the gateway still ran at the end of it.
    pub is_running: bool,
}

/// The rows so far.
pub struct Table {
    say: fn(&str),
    /// The members' 99th percentile without attack, in microseconds.
    quiet: Option<u64>,
    passed: u32,
    failed: Vec<String>,
    slow: Vec<String>,
}

/// How many times the quiet 99th percentile is accepted.
const ACCEPTED_RATIO: u64 = 3;

impl Table {
    /// Prints the heads of the columns.
    pub fn begin(say: fn(&str)) -> Self {
        say(&format!(
            "{:34} {:62} {:46} {:>8} {:>8} {:>6} {:>8} {:>8} {:>6}",
            "case", "sent", "outcome", "peak MiB", "requests", "failed", "p50 ms", "p99 ms", "ratio"
        ));
        Self { say, quiet: None, passed: 0, failed: Vec::new(), slow: Vec::new() }
    }

    /// Prints the members' figures without attack; the first ones are what cases are compared with.
    pub fn quiet(&mut self, name: &'static str, (members, peak): (Figures, u64)) {
        self.quiet.get_or_insert(members.p99);
        let (outcome, is_running) = (String::new(), true);
        self.row(Row { name, sent: "", outcome, finding: None, peak, members, is_running });
    }

    /// Prints a row and judges it.
    pub fn row(&mut self, row: Row) {
        let Row { name, sent, outcome, members, .. } = &row;
        let tenths = self.quiet.map_or(0, |quiet| members.p99 * 10 / quiet.max(1));
        (self.say)(&format!(
            "{name:34} {sent:62} {outcome:46} {:>8} {:>8} {:>6} {:>8} {:>8} {:>6}",
            row.peak >> 20,
            members.requests,
            members.failed,
            tenths_of_ms(members.p50),
            tenths_of_ms(members.p99),
            format!("{}.{}", tenths / 10, tenths % 10),
        ));
        if tenths > ACCEPTED_RATIO * 10 {
            self.slow.push(format!("{name}: p99 {}.{} times the quiet one", tenths / 10, tenths % 10));
        }
        let faults = faults(&row);
        if faults.is_empty() {
            self.passed += 1;
        } else {
            (self.say)(&format!("  FAILED {}", faults.join("; ")));
            self.failed.push(format!("{name}: {}", faults.join("; ")));
        }
    }

    /// Prints the verdict, and the numbers as `make test` adds them up. Returns whether nothing failed.
    pub fn end(self, is_running: bool, rounds: u64) -> bool {
        let say = self.say;
        say(&format!("members finished {rounds} rounds of reads, a deposit, a trade and a withdrawal"));
        for slow in &self.slow {
            say(&format!("acceptance not met on this machine: {slow}"));
        }
        for failed in &self.failed {
            say(&format!("FAILED {failed}"));
        }
        if !is_running {
            say("FAILED the gateway ended; its log says why, or the kernel's does");
        }
        say(&format!("  {} passed", self.passed));
        say(&format!("  {} failed", self.failed.len()));
        is_running && self.failed.is_empty() && self.passed > 0
    }
}

fn faults(row: &Row) -> Vec<String> {
    let mut faults = Vec::new();
    if row.peak > ACCEPTED {
        faults.push(format!("the gateway held {} MiB, more than {}", row.peak >> 20, ACCEPTED >> 20));
    }
    if !row.is_running {
        faults.push("the gateway ended".to_owned());
    }
    if row.members.requests == 0 {
        faults.push("no request of a member was answered".to_owned());
    }
    if let Some(failure) = &row.members.failure {
        faults.push(format!("{} requests of members failed, first {failure}", row.members.failed));
    }
    faults.extend(row.finding.clone());
    faults
}

fn tenths_of_ms(micros: u64) -> String {
    format!("{}.{}", micros / 1_000, micros % 1_000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(change: impl FnOnce(&mut Row)) -> bool {
        let members = Figures { requests: 10, failed: 0, failure: None, p50: 900, p99: 2_000 };
        let outcome = String::new();
        let mut row = Row { name: "", sent: "", outcome, finding: None, peak: 1, members, is_running: true };
        change(&mut row);
        let mut table = Table::begin(|_| {});
        table.row(row);
        table.end(true, 1)
    }

    /// [D-V1] [D-V2] Each promise can fail a run: memory, a restart, a member's request, and members who got no answer.
    #[test]
    fn every_promise_can_fail() {
        assert!(row(|_| {}));
        assert!(!row(|row| row.peak = ACCEPTED + 1));
        assert!(!row(|row| row.is_running = false));
        assert!(!row(|row| row.members.failure = Some("503".to_owned())));
        assert!(!row(|row| row.members.requests = 0));
        assert!(!row(|row| row.finding = Some("a forged address was believed".to_owned())));
        assert!(row(|row| row.members.p99 = u64::MAX / 100), "the machine's noise fails nothing");
    }

    #[test]
    fn times_are_printed_in_tenths_of_milliseconds() {
        assert_eq!(tenths_of_ms(12_345), "12.3");
        assert_eq!(tenths_of_ms(99), "0.0");
    }
}
