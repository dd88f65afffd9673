-- no-transaction
-- Finds what a correction moved: its cause is a proposal, which its line does not name.
CREATE INDEX CONCURRENTLY IF NOT EXISTS postings_of_corrections ON postings (transaction_id)
    WHERE cause_type = 'proposal';
