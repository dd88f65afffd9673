-- A reopening names its stop, and ends that one alone.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE OR REPLACE FUNCTION refuse_unproposed_reopening() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NEW.reopened_at IS NULL THEN
        RETURN NULL;
    ELSIF TG_OP = 'UPDATE' AND (NEW.id, NEW.reason, NEW.stopped_at) IS NOT DISTINCT FROM (OLD.id, OLD.reason, OLD.stopped_at)
        AND (NEW.reopened_at IS NULL OR EXISTS (SELECT FROM proposals
            WHERE kind = 'withdrawals.reopen' AND status = 'confirmed' AND proposed_by = NEW.reopening_proposed_by
                AND decided_by = NEW.reopened_by AND decided_at >= transaction_timestamp()
                -- Those of the version before name no stop.
                AND CASE WHEN change ? 'stopId' THEN (change ->> 'stopId')::bigint = NEW.id
                    ELSE proposed_at >= NEW.stopped_at END))
    THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'stop % can only be ended as two people proposed and confirmed', NEW.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'withdrawal_stops_as_proposed';
END
$$;
