-- no-transaction
-- Staff's search for payments to an address.
CREATE INDEX CONCURRENTLY IF NOT EXISTS transactions_method_address
    ON transactions (method_address, created_at DESC, id DESC) WHERE method_address IS NOT NULL;
