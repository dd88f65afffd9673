-- no-transaction
CREATE INDEX CONCURRENTLY trades_waiting ON trades (plan_id, cash_short_since, id)
    WHERE cash_short_since IS NOT NULL AND status = 'settling';
