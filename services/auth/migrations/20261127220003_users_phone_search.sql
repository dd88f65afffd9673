-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_phone_search
    ON users USING gin ((translate(phone, '+ ()-', '')) gin_trgm_ops) WHERE role IS NULL;
