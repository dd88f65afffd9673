-- no-transaction
-- Finds the entries of a range of postings. Entries are written in the order of their postings, near enough for a BRIN
-- index, which costs a posting next to nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS entries_postings ON entries USING brin (posting_id)
    WITH (pages_per_range = 16, autosummarize = on);
