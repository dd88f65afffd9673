//! What members read about a plan before they invest, and what leaving it early costs (D-T3).

use chassis::validate::{Checks, is_text};
use serde::{Deserialize, Serialize};

/// The part of a plan's terms that informs. What is not stated is empty, zero or unset.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disclosure {
    /// What the plan invests in, at most 1,000 characters.
    pub holdings: String,
    /// At most 120 characters.
    pub manager: String,
    /// What the plan costs, in words, at most 500 characters.
    pub costs: String,
    /// What it costs a year, in hundredths of a percent of the value.
    pub cost_basis_points: i32,
    /// 1, the lowest risk, to 7.
    pub risk_class: Option<i32>,
    /// Address of a document, https.
    pub document_url: String,
    /// Who leaves earlier pays the exit fee; zero for none.
    pub min_holding_days: i32,
    /// In hundredths of a percent of the value; it stays in the plan.
    pub exit_fee_basis_points: i32,
}

impl Disclosure {
    /// Without the blanks around the texts.
    pub(super) fn trimmed(self) -> Self {
        let trimmed = |text: String| text.trim().to_owned();
        Self {
            holdings: trimmed(self.holdings),
            manager: trimmed(self.manager),
            costs: trimmed(self.costs),
            document_url: trimmed(self.document_url),
            ..self
        }
    }

    /// Adds what is wrong, by field.
    pub(super) fn check(&self, checks: &mut Checks, duration_days: i32) {
        checks.that(is_text(&self.holdings, 0, 1_000), "holdings", "Holdings must have at most 1,000 characters");
        checks.that(is_text(&self.manager, 0, 120), "manager", "Manager must have at most 120 characters");
        checks.that(is_text(&self.costs, 0, 500), "costs", "Costs must have at most 500 characters");
        let possible = (0..=10_000).contains(&self.cost_basis_points);
        checks.that(possible, "costPercent", "Costs must be between 0 and 100 percent a year");
        let possible = self.risk_class.is_none_or(|class| (1..=7).contains(&class));
        checks.that(possible, "riskClass", "Risk class must be 1 to 7");
        let possible = self.document_url.is_empty() || is_link(&self.document_url);
        checks.that(possible, "documentUrl", "Document must be an address that begins with https://");
        let possible = (0..=duration_days.max(0)).contains(&self.min_holding_days);
        checks.that(possible, "minHoldingDays", "Minimum holding time must not be longer than the duration");
        let possible = (0..=1_000).contains(&self.exit_fee_basis_points);
        checks.that(possible, "exitFeePercent", "Exit fee must be between 0 and 10 percent");
        let together = (self.min_holding_days == 0) == (self.exit_fee_basis_points == 0);
        checks.that(together, "exitFeePercent", "Enter a minimum holding time and an exit fee, or neither");
    }
}

/// Whether the text is an address on the web that a page may link to.
fn is_link(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    text.len() <= 500
        && text.chars().all(|char| char.is_ascii_graphic() && !matches!(char, '"' | '<' | '>' | '\\'))
        && host.contains('.')
        && host.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | ':'))
}

#[cfg(test)]
mod tests {
    use chassis::validate::Checks;

    use super::Disclosure;

    fn wrong(change: impl FnOnce(&mut Disclosure)) -> Vec<&'static str> {
        let mut disclosure = Disclosure { risk_class: Some(3), ..Disclosure::default() };
        change(&mut disclosure);
        let mut checks = Checks::default();
        disclosure.check(&mut checks, 30);
        checks.passed(()).err().unwrap_or_default().iter().map(|error| error.field).collect()
    }

    /// [D-T3] Every field that cannot be is named; what is not stated is no mistake.
    #[test]
    fn names_every_wrong_field() {
        assert!(wrong(|_| {}).is_empty());
        assert_eq!(wrong(|one| one.holdings = "x".repeat(1_001)), ["holdings"]);
        assert_eq!(wrong(|one| one.manager = "a\u{202e}b".to_owned()), ["manager"]);
        assert_eq!(wrong(|one| one.costs = "a\nb".to_owned()), ["costs"]);
        assert_eq!(wrong(|one| one.cost_basis_points = -1), ["costPercent"]);
        for class in [0, 8] {
            assert_eq!(wrong(|one| one.risk_class = Some(class)), ["riskClass"]);
        }
        assert!(wrong(|one| (one.min_holding_days, one.exit_fee_basis_points) = (30, 1_000)).is_empty());
        assert_eq!(wrong(|one| (one.min_holding_days, one.exit_fee_basis_points) = (31, 100)), ["minHoldingDays"]);
        assert_eq!(wrong(|one| (one.min_holding_days, one.exit_fee_basis_points) = (30, 1_001)), ["exitFeePercent"]);
        assert_eq!(wrong(|one| one.exit_fee_basis_points = 100), ["exitFeePercent"]);
        assert_eq!(wrong(|one| one.min_holding_days = 7), ["exitFeePercent"]);
    }

    /// [D-T3] A page links to it: nothing but an address of the web.
    #[test]
    fn a_document_is_an_address_of_the_web() {
        assert!(wrong(|one| one.document_url = "https://example.com/a.pdf?b=1#c".to_owned()).is_empty());
        let refused = [
            "http://example.com",
            "javascript:alert(1)",
            "https://",
            "https://x",
            "https://a b.com",
            "https://a@b.com/",
            "https://a.com/\"",
            "//a.com",
        ];
        for url in refused {
            assert_eq!(wrong(|one| one.document_url = url.to_owned()), ["documentUrl"], "{url}");
        }
    }
}
