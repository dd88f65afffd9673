-- no-transaction
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS postings_reversed_once ON postings (reverses) WHERE reverses IS NOT NULL;
