-- no-transaction
-- Like transactions_one_pending_course, with the collation of the rules in sql/10_ledger.sql.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS transactions_members_pending_course ON transactions (user_id)
    WHERE kind = 'course' COLLATE "C" AND status = 'pending' COLLATE "C";
