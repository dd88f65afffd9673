-- no-transaction
-- Staff's list of what waits, and of what was rejected.
CREATE INDEX CONCURRENTLY IF NOT EXISTS transactions_not_successful
    ON transactions (status, created_at DESC, id DESC) WHERE status <> 'success';
