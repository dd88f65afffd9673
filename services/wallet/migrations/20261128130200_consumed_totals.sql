-- What the payments that payment-method knows to be consumed come to. It keeps the same sums; they are compared every minute.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE TABLE consumed_totals (
    chain     text          NOT NULL,
    asset     text          NOT NULL,
    direction text          NOT NULL,
    payments  bigint        NOT NULL,
    -- In the smallest unit.
    units     numeric(48,0) NOT NULL,
    CONSTRAINT consumed_totals_pkey PRIMARY KEY (chain, asset, direction)
);

-- The only way to change them: the service's role cannot. A payment that was freed and consumed by another counts once.
CREATE FUNCTION count_told_payment() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO consumed_totals VALUES (NEW.chain, NEW.asset, NEW.direction, 0, 0) ON CONFLICT DO NOTHING;
    -- Two rows of one payment are counted one after the other.
    PERFORM FROM consumed_totals WHERE (chain, asset, direction) = (NEW.chain, NEW.asset, NEW.direction) FOR UPDATE;
    IF NOT EXISTS (SELECT FROM consumed_payments AS other
        WHERE (other.chain, other.txid, other.vout, other.direction) = (NEW.chain, NEW.txid, NEW.vout, NEW.direction)
            AND other.told_at IS NOT NULL AND other.consumed_at <> NEW.consumed_at)
    THEN
        UPDATE consumed_totals SET payments = payments + 1, units = units + NEW.units
            WHERE (chain, asset, direction) = (NEW.chain, NEW.asset, NEW.direction);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER consumed_payments_told AFTER INSERT ON consumed_payments FOR EACH ROW
    WHEN (NEW.told_at IS NOT NULL AND NEW.units IS NOT NULL) EXECUTE FUNCTION count_told_payment();
CREATE TRIGGER consumed_payments_counted AFTER UPDATE ON consumed_payments FOR EACH ROW
    WHEN (OLD.told_at IS NULL AND NEW.told_at IS NOT NULL AND NEW.units IS NOT NULL) EXECUTE FUNCTION count_told_payment();

-- What payment-method was told stays so, also when the payment was freed meanwhile.
CREATE OR REPLACE FUNCTION keep_consumed_payments() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.told_at IS NOT NULL AND NEW.told_at IS DISTINCT FROM OLD.told_at
        OR OLD.freed_at IS NOT NULL AND (NEW.freed_at IS DISTINCT FROM OLD.freed_at OR NEW.told_at IS NOT DISTINCT FROM OLD.told_at)
        OR (NEW.chain, NEW.txid, NEW.vout, NEW.direction, NEW.transaction_id, NEW.asset, NEW.units, NEW.consumed_at)
            IS DISTINCT FROM (OLD.chain, OLD.txid, OLD.vout, OLD.direction, OLD.transaction_id, OLD.asset, OLD.units, OLD.consumed_at)
    THEN
        RAISE EXCEPTION 'the payment of transaction % stays consumed as it is', OLD.transaction_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'consumed_payments_kept';
    END IF;
    RETURN NEW;
END
$$;

INSERT INTO consumed_totals (chain, asset, direction, payments, units)
SELECT chain, asset, direction, count(*), sum(units)
FROM (SELECT DISTINCT chain, txid, vout, direction, asset, units FROM consumed_payments
    WHERE told_at IS NOT NULL AND units IS NOT NULL) AS told
GROUP BY chain, asset, direction;

-- Differences between both sums. One ends when they agree again.
CREATE TABLE bridge_faults (
    id             bigint        GENERATED ALWAYS AS IDENTITY CONSTRAINT bridge_faults_pkey PRIMARY KEY,
    chain          text          NOT NULL,
    asset          text          NOT NULL,
    direction      text          NOT NULL,
    -- What transactions of the wallet consume, and what payment-method knows to be consumed, in the smallest unit.
    consumed_units numeric(48,0) NOT NULL,
    known_units    numeric(48,0) NOT NULL,
    found_at       timestamptz   NOT NULL,
    verified_at    timestamptz,
    CONSTRAINT bridge_faults_direction CHECK (direction IN ('in', 'out')),
    CONSTRAINT bridge_faults_verified CHECK (verified_at >= found_at)
);
CREATE UNIQUE INDEX bridge_faults_open ON bridge_faults (chain, asset, direction) WHERE verified_at IS NULL;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        REVOKE ALL ON consumed_totals, bridge_faults FROM wallet;
        GRANT SELECT ON consumed_totals TO wallet;
        GRANT SELECT, INSERT, UPDATE (consumed_units, known_units, verified_at) ON bridge_faults TO wallet;
    END IF;
END $$;
