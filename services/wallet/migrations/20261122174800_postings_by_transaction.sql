-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS postings_xid ON postings (xid, id);
