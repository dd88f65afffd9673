-- When a payment arrived, and what it was worth at that moment.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE chain_payments
    -- When it was seen first; after an outage of the observer, by the clock of its block.
    ADD COLUMN arrived_at timestamptz,
    -- The bid of that moment, the spread, and the value of the units at both. Unset without a rate.
    ADD COLUMN rate_micros bigint,
    ADD COLUMN spread_bps  integer,
    ADD COLUMN value_cents bigint,
    ADD CONSTRAINT chain_payments_arrived CHECK (arrived_at <= seen_at) NOT VALID,
    ADD CONSTRAINT chain_payments_value CHECK (num_nulls(rate_micros, spread_bps, value_cents) IN (0, 3)
        AND rate_micros > 0 AND spread_bps BETWEEN 0 AND 1000 AND value_cents >= 0) NOT VALID;

-- The value is that of the arrival: nobody computes it again at a rate that they like better.
CREATE FUNCTION refuse_other_value() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION 'payment % keeps the value of its arrival', OLD.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'chain_payments_valued_once';
END
$$;
CREATE TRIGGER chain_payments_valued_once BEFORE UPDATE ON chain_payments FOR EACH ROW
    WHEN ((NEW.arrived_at, NEW.rate_micros, NEW.spread_bps, NEW.value_cents)
        IS DISTINCT FROM (OLD.arrived_at, OLD.rate_micros, OLD.spread_bps, OLD.value_cents))
    EXECUTE FUNCTION refuse_other_value();
