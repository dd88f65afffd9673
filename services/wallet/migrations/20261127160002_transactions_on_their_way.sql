-- no-transaction

CREATE INDEX CONCURRENTLY IF NOT EXISTS transactions_on_their_way ON transactions (sent_at)
    WHERE sent_at IS NOT NULL AND status = 'pending';
