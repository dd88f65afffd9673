-- no-transaction
-- The check of the ledger sums the open trades of each member who moved money.
CREATE INDEX CONCURRENTLY IF NOT EXISTS trade_fundings_open ON trade_fundings (user_id) INCLUDE (amount_cents)
    WHERE status = 'funded';
