-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_name_search
    ON users USING gin ((translate(lower(normalize(name)), '’ʼ', '''''')) gin_trgm_ops) WHERE role IS NULL;
