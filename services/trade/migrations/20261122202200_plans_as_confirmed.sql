-- The service's own role publishes a value, and makes or changes a plan, only as two people proposed and confirmed it: the
-- same plan, the same terms or value, in the transaction of the confirmation.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE OR REPLACE FUNCTION refuse_unproposed_value() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM proposals
        WHERE id = NEW.proposal_id AND kind = 'plan.value' AND status = 'confirmed' AND decided_by <> proposed_by
            AND decided_at >= transaction_timestamp() AND subject_id = NEW.plan_id
            AND (change ->> 'valueMicros')::bigint = NEW.value_micros AND change ->> 'source' = NEW.source
            -- A text may be finer than what the column keeps.
            AND abs(extract(epoch FROM NEW.at - coalesce((change ->> 'at')::timestamptz, transaction_timestamp()))) < 0.001)
    THEN
        RAISE EXCEPTION 'a value is published as two people proposed and confirmed'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'plan_values_as_proposed';
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION refuse_unproposed_plan() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM proposals
        WHERE status = 'confirmed' AND decided_by <> proposed_by AND decided_at >= transaction_timestamp()
            AND proposed_at > transaction_timestamp() - interval '8 days'
            AND change = jsonb_build_object('title', NEW.title, 'subtitle', NEW.subtitle, 'minCents', NEW.min_cents,
                'maxCents', NEW.max_cents, 'roiBasisPoints', NEW.roi_basis_points, 'durationDays', NEW.duration_days,
                'active', NEW.active)
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
CREATE TRIGGER plans_as_proposed BEFORE INSERT OR UPDATE ON plans FOR EACH ROW
    WHEN (current_user = 'trade') EXECUTE FUNCTION refuse_unproposed_plan();
