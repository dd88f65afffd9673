-- no-transaction
-- An output pays one withdrawal.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS transactions_output_out ON transactions (txid_key, coalesce(vout, -1))
    WHERE txid_key IS NOT NULL AND kind = 'withdrawal';
