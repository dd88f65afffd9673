-- no-transaction
-- An output pays one deposit, course payment or fee.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS transactions_output_in ON transactions (txid_key, coalesce(vout, -1))
    WHERE txid_key IS NOT NULL AND kind <> 'withdrawal';
