-- no-transaction
-- Like transactions_counted_withdrawals, with the collation of the rules in sql/10_ledger.sql.
CREATE INDEX CONCURRENTLY IF NOT EXISTS transactions_members_withdrawals ON transactions (user_id, created_at)
    INCLUDE (amount_cents) WHERE kind = 'withdrawal' COLLATE "C" AND status <> 'failed' COLLATE "C";
