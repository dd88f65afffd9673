-- no-transaction
-- Finds the posting of a line that may be reversed.
CREATE INDEX CONCURRENTLY IF NOT EXISTS postings_reversible ON postings (transaction_id)
    WHERE kind IN ('deposit', 'fee_credit', 'adjustment_credit', 'release');
