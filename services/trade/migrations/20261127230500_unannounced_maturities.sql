-- no-transaction
-- Open trades whose maturity no event has told of yet.
CREATE INDEX CONCURRENTLY IF NOT EXISTS trades_unannounced ON trades (matures_at)
    WHERE status = 'open' AND matured_event_at IS NULL;
