-- no-transaction
-- Finds the posting of a line that may be undone.
CREATE INDEX CONCURRENTLY IF NOT EXISTS postings_undoable ON postings (transaction_id)
    WHERE kind IN ('deposit', 'course', 'fee', 'fee_credit', 'course_credit', 'adjustment_credit', 'release');
