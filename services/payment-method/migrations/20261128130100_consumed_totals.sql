-- What the payments that are known to be consumed come to, so that wallet can compare it with its own sums every minute.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE TABLE consumed_totals (
    chain    text          NOT NULL,
    symbol   text          NOT NULL,
    way      text          NOT NULL,
    payments bigint        NOT NULL,
    -- In the smallest unit.
    units    numeric(48,0) NOT NULL,
    CONSTRAINT consumed_totals_pkey PRIMARY KEY (chain, symbol, way)
);

-- The only way to change them: the service's role cannot.
CREATE FUNCTION count_consumed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    sign integer := CASE WHEN NEW.is_consumed THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO consumed_totals AS total (chain, symbol, way, payments, units)
    VALUES (NEW.chain, NEW.symbol, NEW.way, sign, sign * NEW.units)
    ON CONFLICT ON CONSTRAINT consumed_totals_pkey
        DO UPDATE SET payments = total.payments + sign, units = total.units + sign * NEW.units;
    RETURN NULL;
END
$$;
CREATE TRIGGER chain_payments_counted AFTER INSERT ON chain_payments FOR EACH ROW WHEN (NEW.is_consumed)
    EXECUTE FUNCTION count_consumed();
CREATE TRIGGER chain_payments_recounted AFTER UPDATE ON chain_payments FOR EACH ROW
    WHEN (NEW.is_consumed IS DISTINCT FROM OLD.is_consumed) EXECUTE FUNCTION count_consumed();

INSERT INTO consumed_totals (chain, symbol, way, payments, units)
SELECT chain, symbol, way, count(*), sum(units) FROM chain_payments WHERE is_consumed GROUP BY chain, symbol, way;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        REVOKE ALL ON consumed_totals FROM payment_method;
        GRANT SELECT ON consumed_totals TO payment_method;
    END IF;
END $$;
