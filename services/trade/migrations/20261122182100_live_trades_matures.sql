-- no-transaction
-- The newest maturity that is past among a plan's live trades, likewise.
CREATE INDEX CONCURRENTLY IF NOT EXISTS trades_live_matures ON trades (plan_id, matures_at)
    WHERE status IN ('opening', 'open');
