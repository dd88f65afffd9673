-- no-transaction
-- The newest ended trades of a plan: how many of them paid less than was invested.
CREATE INDEX CONCURRENTLY IF NOT EXISTS trades_ended ON trades (plan_id, ended_at DESC)
    INCLUDE (amount_cents, settle_value_cents) WHERE status IN ('claimed', 'closed');
