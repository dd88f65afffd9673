-- no-transaction
-- Like transactions_one_open_withdrawal, with the collation of the rules in sql/10_ledger.sql.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS transactions_members_open_withdrawal ON transactions (user_id)
    WHERE kind = 'withdrawal' COLLATE "C" AND status = 'pending' COLLATE "C";
