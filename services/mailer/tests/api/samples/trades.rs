//! Events of trade.

use chassis::id::UserId;
use mailer::domain::template::Template;
use proto::auth::v1 as auth;
use proto::trade::v1 as trade;
use uuid::Uuid;

use crate::fixture::event;
use crate::samples::Sample;

pub(super) fn trade_samples(id: UserId) -> Vec<Sample> {
    let one = |key: &str, value_cents, template, facts| {
        let trade = trade::TradeFacts {
            trade_id: Uuid::new_v4().to_string(),
            user_id: id.to_string(),
            plan_title: "Growth <Plus>".to_owned(),
            amount_cents: 50_000,
            value_cents,
            exit_fee_cents: 0,
        };
        let event = event(&format!("trade.v1.{key}"), &trade::TradeOpened { trade: Some(trade) });
        Sample { event, mails: vec![(template, None)], facts }
    };
    vec![
        one("trade_opened", 50_000, Template::TradeOpened, &["$500.00", "not guaranteed"]),
        one("matured", 51_000, Template::TradeMatured, &["$510.00", "$500.00", "$10.00", "no longer changes"]),
        one(
            "payout_delayed",
            56_050,
            Template::PayoutDelayed,
            &["Growth", "$560.50", "$500.00", "as soon as cash arrives"],
        ),
        one("trade_claimed", 56_050, Template::TradeClaimed, &["$560.50", "$500.00", "$60.50"]),
        one("trade_closed", 48_000, Template::TradeClosed, &["$480.00", "$20.00"]),
        // The exit fee cost more than the gain.
        one("trade_claimed", 49_950, Template::TradeClosed, &["$499.50", "$0.50"]),
        Sample {
            event: event("trade.v1.plan_changed", &trade::PlanChanged { plan_id: String::new() }),
            mails: vec![],
            facts: &[],
        },
        Sample {
            event: event("trade.v1.from_a_newer_build", &trade::PlanChanged::default()),
            mails: vec![],
            facts: &[],
        },
        Sample {
            event: event("auth.v1.user_registered", &auth::UserRegistered { user_id: id.to_string() }),
            mails: vec![],
            facts: &[],
        },
        Sample { event: event("auth.v1.session_ended", &auth::SessionEnded::default()), mails: vec![], facts: &[] },
    ]
}
