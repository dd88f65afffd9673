-- The quote that a deposit or withdrawal was requested with: which asset, how many of its smallest unit, at which rate.
ALTER TABLE transactions
    ADD COLUMN quote_id uuid,
    ADD COLUMN asset text,
    ADD COLUMN asset_decimals smallint,
    -- Of a withdrawal, what is paid out.
    ADD COLUMN units numeric(39,0),
    -- Millionths of a dollar for a whole unit, before the spread.
    ADD COLUMN rate_micros bigint,
    ADD COLUMN spread_bps smallint,
    ADD COLUMN quoted_at timestamptz,
    ADD COLUMN quote_expires_at timestamptz;

ALTER TABLE transactions ADD CONSTRAINT transactions_quote CHECK (CASE
    WHEN quote_id IS NULL THEN num_nonnulls(asset, asset_decimals, units, rate_micros, spread_bps, quoted_at,
        quote_expires_at) = 0
    ELSE kind IN ('deposit', 'course', 'withdrawal') AND method_id IS NOT NULL AND coalesce(units > 0 AND rate_micros > 0
        AND asset_decimals BETWEEN 0 AND 18 AND spread_bps BETWEEN 0 AND 9999 AND quote_expires_at > quoted_at
        AND asset <> '', false)
    END) NOT VALID;

-- A quote stays as it was used. Only that the fee of a withdrawal was paid from outside changes what is paid out.
CREATE FUNCTION refuse_other_quote() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the quote of transaction % is used', OLD.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_quote_kept';
END
$$;
CREATE TRIGGER transactions_quote_kept BEFORE UPDATE ON transactions FOR EACH ROW
    WHEN ((NEW.quote_id, NEW.asset, NEW.asset_decimals, NEW.rate_micros, NEW.spread_bps, NEW.quoted_at,
            NEW.quote_expires_at)
        IS DISTINCT FROM (OLD.quote_id, OLD.asset, OLD.asset_decimals, OLD.rate_micros, OLD.spread_bps, OLD.quoted_at,
            OLD.quote_expires_at)
        OR NEW.units IS DISTINCT FROM OLD.units AND NEW.fee_paid = OLD.fee_paid)
    EXECUTE FUNCTION refuse_other_quote();

-- The approval of a withdrawal freezes what is paid out, in units of the asset too, and where.
CREATE OR REPLACE FUNCTION refuse_other_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.user_id, NEW.kind, NEW.amount_cents, NEW.fee_cents, NEW.net_amount_cents, NEW.currency, NEW.network,
        NEW.destination_address, NEW.destination_memo, NEW.approved_by, NEW.approved_at, NEW.units)
       IS DISTINCT FROM
       (OLD.user_id, OLD.kind, OLD.amount_cents, OLD.fee_cents, OLD.net_amount_cents, OLD.currency, OLD.network,
        OLD.destination_address, OLD.destination_memo, OLD.approved_by, OLD.approved_at, OLD.units) THEN
        RAISE EXCEPTION 'withdrawal % is approved', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_paid_as_approved';
    END IF;
    RETURN NEW;
END
$$;
