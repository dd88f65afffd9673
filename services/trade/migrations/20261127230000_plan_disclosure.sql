-- What members are told about a plan before they invest, and what leaving it early costs. What is not stated is empty, zero or
-- unset, as it is for every plan from before.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE plans
    ADD COLUMN holdings              text    NOT NULL DEFAULT '',
    ADD COLUMN manager               text    NOT NULL DEFAULT '',
    ADD COLUMN costs                 text    NOT NULL DEFAULT '',
    -- A year, in hundredths of a percent of the value.
    ADD COLUMN cost_basis_points     integer NOT NULL DEFAULT 0,
    -- 1, the lowest risk, to 7.
    ADD COLUMN risk_class            integer,
    ADD COLUMN document_url          text    NOT NULL DEFAULT '',
    -- Who leaves earlier pays the fee, in hundredths of a percent of the value.
    ADD COLUMN min_holding_days      integer NOT NULL DEFAULT 0,
    ADD COLUMN exit_fee_basis_points integer NOT NULL DEFAULT 0,
    ADD CONSTRAINT plans_costs CHECK (cost_basis_points BETWEEN 0 AND 10000) NOT VALID,
    ADD CONSTRAINT plans_risk_class CHECK (risk_class BETWEEN 1 AND 7) NOT VALID,
    ADD CONSTRAINT plans_exit_fee CHECK (min_holding_days BETWEEN 0 AND duration_days
        AND exit_fee_basis_points BETWEEN 0 AND 1000 AND (min_holding_days = 0) = (exit_fee_basis_points = 0)) NOT VALID;

-- A proposal of the version before has none of the new terms.
CREATE OR REPLACE FUNCTION refuse_unproposed_plan() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM proposals
        WHERE status = 'confirmed' AND decided_by <> proposed_by AND decided_at >= transaction_timestamp()
            AND proposed_at > transaction_timestamp() - interval '8 days'
            AND jsonb_build_object('holdings', '', 'manager', '', 'costs', '', 'costBasisPoints', 0, 'riskClass', NULL,
                'documentUrl', '', 'minHoldingDays', 0, 'exitFeeBasisPoints', 0) || change
                = jsonb_build_object('title', NEW.title, 'subtitle', NEW.subtitle, 'minCents', NEW.min_cents,
                'maxCents', NEW.max_cents, 'roiBasisPoints', NEW.roi_basis_points, 'durationDays', NEW.duration_days,
                'active', NEW.active, 'holdings', NEW.holdings, 'manager', NEW.manager, 'costs', NEW.costs,
                'costBasisPoints', NEW.cost_basis_points, 'riskClass', NEW.risk_class, 'documentUrl', NEW.document_url,
                'minHoldingDays', NEW.min_holding_days, 'exitFeeBasisPoints', NEW.exit_fee_basis_points)
            AND CASE TG_OP WHEN 'INSERT' THEN kind = 'plan.create' AND subject_id IS NULL AND NEW.version = 1
                ELSE kind = 'plan.update' AND subject_id = NEW.id AND NEW.id = OLD.id
                    AND (before ->> 'version')::integer = OLD.version AND NEW.version = OLD.version + 1 END)
    THEN
        RAISE EXCEPTION 'plan % is what two people proposed and confirmed', NEW.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'plans_as_proposed';
    END IF;
    RETURN NEW;
END
$$;
