-- What a payout sends: fixed when its payment begins, at the rate of that moment. Its asset is the currency, which the approval
-- fixed.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE transactions
    -- Of a token; empty for the coin of the chain.
    ADD COLUMN payout_contract    text,
    ADD COLUMN payout_decimals    smallint,
    -- In the smallest unit.
    ADD COLUMN payout_units       numeric(39,0),
    -- Millionths of a dollar for a whole unit, before the spread.
    ADD COLUMN payout_rate_micros bigint,
    ADD COLUMN payout_spread_bps  smallint,
    ADD COLUMN payout_priced_at   timestamptz;

-- The net amount at the rate plus the spread, rounded down.
ALTER TABLE transactions ADD CONSTRAINT transactions_payout CHECK (CASE
    WHEN payout_units IS NULL THEN num_nonnulls(payout_contract, payout_decimals, payout_rate_micros, payout_spread_bps,
        payout_priced_at) = 0
    ELSE kind = 'withdrawal' AND approved_by IS NOT NULL AND payout_contract IS NOT NULL AND payout_priced_at IS NOT NULL
        AND coalesce(payout_units > 0 AND payout_rate_micros > 0 AND payout_decimals BETWEEN 0 AND 18
            AND payout_spread_bps BETWEEN 0 AND 9999
            AND payout_units = div(net_amount_cents * 10::numeric ^ payout_decimals * 100000000,
                payout_rate_micros::numeric * (10000 + payout_spread_bps)), false)
    END) NOT VALID;

-- Only a lease fixes it anew. It is never taken away, and what was paid without a lease gets it then.
CREATE FUNCTION refuse_other_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the payout of withdrawal % is fixed', OLD.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_paid_as_leased';
END
$$;
CREATE TRIGGER transactions_paid_as_leased BEFORE UPDATE ON transactions FOR EACH ROW
    WHEN (OLD.payout_units IS NOT NULL
        AND (NEW.payout_contract, NEW.payout_decimals, NEW.payout_units, NEW.payout_rate_micros, NEW.payout_spread_bps,
            NEW.payout_priced_at)
        IS DISTINCT FROM (OLD.payout_contract, OLD.payout_decimals, OLD.payout_units, OLD.payout_rate_micros,
            OLD.payout_spread_bps, OLD.payout_priced_at)
        AND (NEW.payout_units IS NULL OR NEW.status <> 'pending' OR NEW.paying_until IS NOT DISTINCT FROM OLD.paying_until))
    EXECUTE FUNCTION refuse_other_price();
