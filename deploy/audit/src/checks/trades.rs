//! Trades, plans and their values.

use super::check::{Check, trade};

pub(super) const TRADES: &[Check] = &[
    trade(
        "T3",
        "every amount was within the plan's range as copied",
        "SELECT format('trade %s of %s', id, amount_cents) FROM trades
         WHERE amount_cents NOT BETWEEN plan_min_cents AND plan_max_cents",
    ),
    trade(
        "D-I4",
        "a claim ended a gain, a close none, before an exit fee as copied, half up",
        "SELECT format('trade %s: %s of %s at %s and %s', id, status, amount_cents, settle_value_cents, settle_fee_cents)
         FROM trades
         WHERE (status = 'claimed' AND settle_value_cents + settle_fee_cents <= amount_cents)
            OR (status = 'closed' AND settle_value_cents + settle_fee_cents > amount_cents)
            OR settle_fee_cents NOT IN (
                0, ((settle_value_cents + settle_fee_cents) * exit_fee_basis_points + 5000) / 10000)
            OR (status IN ('claimed', 'closed')) <> (ended_at IS NOT NULL)",
    ),
    trade(
        "K6",
        "no trade is on its way for more than a minute",
        "SELECT format('trade %s is %s since %s', id, status, created_at) FROM trades
         WHERE (status = 'opening' AND created_at < clock_timestamp() - interval '60 seconds')
            OR (status = 'settling' AND resume_at < clock_timestamp() - interval '60 seconds')",
    ),
    trade(
        "D-I1",
        "every value was published by two people and none is changed",
        "SELECT format('value of plan %s at %s', plan_id, at) FROM plan_values
         LEFT JOIN proposals ON proposals.id = proposal_id
         WHERE status IS DISTINCT FROM 'confirmed' OR decided_by IS NOT DISTINCT FROM proposed_by
            OR (subject_id, (change ->> 'valueMicros')::bigint, change ->> 'source')
                IS DISTINCT FROM (plan_id, value_micros, plan_values.source)
         UNION ALL
         SELECT 'trigger plan_values_append_only is off' WHERE NOT EXISTS (SELECT FROM pg_trigger
            WHERE tgname = 'plan_values_append_only' AND tgrelid = to_regclass('plan_values') AND tgenabled <> 'D')",
    ),
];
