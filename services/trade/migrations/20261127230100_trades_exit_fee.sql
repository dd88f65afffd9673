-- The exit fee of a trade: its terms as copied from the plan, and what was charged. What is paid is the value less the fee.
ALTER TABLE trades
    -- Which terms of the plan hold; the confirmed proposal of that version has them all. Unset for trades from before.
    ADD COLUMN plan_version          integer,
    ADD COLUMN min_holding_days      integer NOT NULL DEFAULT 0,
    ADD COLUMN exit_fee_basis_points integer NOT NULL DEFAULT 0,
    ADD COLUMN settle_fee_cents      bigint  NOT NULL DEFAULT 0,
    -- When the event of its maturity was written.
    ADD COLUMN matured_event_at      timestamptz,
    ADD CONSTRAINT trades_exit_fee CHECK (min_holding_days BETWEEN 0 AND duration_days
        AND exit_fee_basis_points BETWEEN 0 AND 1000 AND settle_fee_cents >= 0
        AND (settle_fee_cents = 0 OR settle_kind IS NOT NULL AND exit_fee_basis_points > 0)) NOT VALID,
    DROP CONSTRAINT trades_claim_pays_a_gain,
    DROP CONSTRAINT trades_close_pays_no_gain,
    ADD CONSTRAINT trades_claim_pays_a_gain CHECK (
        settle_kind <> 'claim' OR settle_value_cents >= 0 AND settle_value_cents + settle_fee_cents > amount_cents) NOT VALID,
    ADD CONSTRAINT trades_close_pays_no_gain CHECK (
        settle_kind <> 'close' OR settle_value_cents >= 0 AND settle_value_cents + settle_fee_cents <= amount_cents) NOT VALID;

CREATE OR REPLACE FUNCTION trades_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.id, OLD.user_id, OLD.plan_id, OLD.plan_title, OLD.plan_min_cents, OLD.plan_max_cents, OLD.roi_basis_points,
        OLD.duration_days, OLD.amount_cents, OLD.opening_value_micros, OLD.created_at, OLD.matures_at, OLD.plan_version,
        OLD.min_holding_days, OLD.exit_fee_basis_points)
        IS DISTINCT FROM
       (NEW.id, NEW.user_id, NEW.plan_id, NEW.plan_title, NEW.plan_min_cents, NEW.plan_max_cents, NEW.roi_basis_points,
        NEW.duration_days, NEW.amount_cents, NEW.opening_value_micros, NEW.created_at, NEW.matures_at, NEW.plan_version,
        NEW.min_holding_days, NEW.exit_fee_basis_points)
        OR (OLD.settle_kind IS NOT NULL AND (OLD.settle_kind, OLD.settle_value_cents, OLD.settle_fee_cents)
            IS DISTINCT FROM (NEW.settle_kind, NEW.settle_value_cents, NEW.settle_fee_cents))
        OR (OLD.status, NEW.status) NOT IN (
            ('opening', 'opening'), ('opening', 'open'), ('opening', 'failed'), ('open', 'open'), ('open', 'settling'),
            ('settling', 'settling'), ('settling', 'claimed'), ('settling', 'closed'))
        OR (NEW.status = 'claimed' AND NEW.settle_kind <> 'claim') OR (NEW.status = 'closed' AND NEW.settle_kind <> 'close')
    THEN
        RAISE EXCEPTION 'a trade cannot change from % to %', OLD, NEW
            USING ERRCODE = 'check_violation', CONSTRAINT = 'trades_transition';
    END IF;
    RETURN NEW;
END
$$;
