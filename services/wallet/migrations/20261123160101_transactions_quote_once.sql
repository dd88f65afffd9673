-- no-transaction
-- A quote serves once.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS transactions_quote_once ON transactions (quote_id)
    WHERE quote_id IS NOT NULL;
