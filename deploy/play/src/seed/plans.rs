//! The plans of a local stack, and their values.

use serde_json::{Value, json};

/// How many daily values a plan starts with: today's and those of the 30 days before.
pub(super) const POINTS: i64 = 31;

pub struct PlanSeed {
    pub(crate) title: &'static str,
    pub(super) subtitle: &'static str,
    min: u32,
    max: u32,
    /// Target in percent over the whole duration: 3 to 9 percent a year.
    roi: &'static str,
    duration: u32,
    risk_class: u32,
    pub(super) holdings: &'static str,
    pub(super) manager: &'static str,
    pub(super) costs: &'static str,
    cost_percent: &'static str,
    min_holding_days: u32,
    exit_fee_percent: &'static str,
    /// Steps of its value from one day to the next in ten-thousandths, repeated.
    pub(crate) steps: &'static [i64],
}

/// Starter and Horizon rise, Balanced stands below its start, Growth swings.
pub const PLANS: [PlanSeed; 4] = [
    PlanSeed {
        title: "Starter",
        subtitle: "Short-term income, small swings",
        min: 100,
        max: 2_500,
        roi: "0.25",
        duration: 30,
        risk_class: 1,
        holdings: "United States Treasury bills with one to three months left, and dollar cash at two banks",
        manager: "Solvane Treasury",
        costs: "Custody and administration, taken from the value every day",
        cost_percent: "0.2",
        min_holding_days: 0,
        exit_fee_percent: "0",
        steps: &[1, 1, 0, 2, 1, -1, 1, 2, 0, 1],
    },
    PlanSeed {
        title: "Balanced",
        subtitle: "Income and growth in equal parts",
        min: 500,
        max: 10_000,
        roi: "1.25",
        duration: 90,
        risk_class: 3,
        holdings: "Half short-dated corporate bonds, half broad index funds of developed markets",
        manager: "Solvane Investments",
        costs: "Management and the costs of the funds, taken from the value every day",
        cost_percent: "0.65",
        min_holding_days: 0,
        exit_fee_percent: "0",
        steps: &[
            6, -9, 4, 11, -14, 3, 8, -5, -12, 7, 2, -18, 9, -6, 5, -11, 14, -8, 3, -7, -15, 6, -9, 4, -13, 8, -10, -6,
            3, -9,
        ],
    },
    PlanSeed {
        title: "Growth",
        subtitle: "Higher targets with wider swings",
        min: 2_500,
        max: 50_000,
        roi: "4.4",
        duration: 180,
        risk_class: 5,
        holdings: "Index funds of developed markets, and up to a tenth in bitcoin held in cold storage",
        manager: "Solvane Investments",
        costs: "Management, trading and custody, taken from the value every day",
        cost_percent: "0.95",
        min_holding_days: 0,
        exit_fee_percent: "0",
        steps: &[35, -28, 22, 16, -44, 38, 10, -27, 19, -16, 4],
    },
    PlanSeed {
        title: "Horizon",
        subtitle: "A full year for patient capital",
        min: 10_000,
        max: 100_000,
        roi: "7",
        duration: 365,
        risk_class: 4,
        holdings: "Loans to small companies secured by their invoices, at most two percent to one borrower",
        manager: "Solvane Credit",
        costs: "Management and the servicing of the loans, taken from the value every day",
        cost_percent: "1.1",
        min_holding_days: 30,
        exit_fee_percent: "0.5",
        steps: &[9, -4, 7, -11, 12, 3, -6, 8, -9, 10, 2, -2],
    },
];

impl PlanSeed {
    /// The terms as two managers propose and confirm them.
    pub(crate) fn terms(&self) -> Value {
        json!({
            "title": self.title, "subtitle": self.subtitle, "min": self.min, "max": self.max,
            "roi": self.roi, "duration": self.duration, "riskClass": self.risk_class, "holdings": self.holdings,
            "manager": self.manager, "costs": self.costs, "costPercent": self.cost_percent,
            "minHoldingDays": self.min_holding_days, "exitFeePercent": self.exit_fee_percent,
        })
    }
}

/// The value of a plan day by day, as decimal texts, from 1 on.
pub(crate) fn index(steps: &'static [i64]) -> impl Iterator<Item = String> {
    let mut millionths: i64 = 1_000_000;
    std::iter::once(0).chain(steps.iter().copied().cycle()).map(move |step| {
        millionths += millionths * step / 10_000;
        format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(title: &str) -> Vec<String> {
        let plan = PLANS.iter().find(|plan| plan.title == title).expect("a plan");
        let days = usize::try_from(POINTS).expect("small");
        index(plan.steps).take(days).collect()
    }

    /// [D-X3] One plan stands above and one below its level of ten days ago.
    #[test]
    fn one_plan_has_risen_and_one_has_fallen_in_ten_days() {
        let (risen, fallen) = (points("Horizon"), points("Balanced"));
        assert!(risen[30] > risen[20], "{risen:?}");
        assert!(fallen[30] < fallen[20], "{fallen:?}");
        assert_eq!(risen[0], "1.000000");
    }

    /// [D-X3] Targets are sober, every plan falls as well as rises, and one plan stands below its start.
    #[test]
    fn one_plan_stands_below_its_start() {
        for plan in &PLANS {
            assert!(
                plan.steps.iter().any(|step| *step < 0) && plan.steps.iter().any(|step| *step > 0),
                "{}",
                plan.title
            );
            let hundredths: u32 = {
                let (whole, part) = plan.roi.split_once('.').unwrap_or((plan.roi, ""));
                format!("{whole}{part:0<2}").parse().expect("a percentage")
            };
            let a_year = hundredths * 365 / plan.duration;
            assert!((300..=900).contains(&a_year), "{}: {a_year}", plan.title);
        }
        let below = PLANS.iter().filter(|plan| points(plan.title)[30].as_str() < "1.000000").map(|plan| plan.title);
        assert_eq!(below.collect::<Vec<_>>(), ["Balanced"]);
    }
}
