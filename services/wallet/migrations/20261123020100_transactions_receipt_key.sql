-- no-transaction
-- Whether a stored receipt belongs to a payment.
CREATE INDEX CONCURRENTLY IF NOT EXISTS transactions_receipt_key ON transactions (receipt_key)
    WHERE receipt_key IS NOT NULL;
