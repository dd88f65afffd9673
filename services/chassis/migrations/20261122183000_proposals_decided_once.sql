-- A service's own role proposes, and decides once: who proposed what, and what was decided, stays. Its other tables of
-- authority can only grow.

CREATE FUNCTION refuse_other_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NEW.status = 'open' THEN
        RETURN NEW;
    ELSIF TG_OP = 'UPDATE'
        AND (NEW.id, NEW.kind, NEW.change, NEW.before, NEW.proposed_by, NEW.proposed_at)
            IS NOT DISTINCT FROM (OLD.id, OLD.kind, OLD.change, OLD.before, OLD.proposed_by, OLD.proposed_at)
        -- What a proposal makes is named once it is there.
        AND (OLD.subject_id IS NULL OR NEW.subject_id = OLD.subject_id)
        AND (OLD.status = 'open' OR (NEW.status, NEW.decided_by, NEW.decided_at)
            IS NOT DISTINCT FROM (OLD.status, OLD.decided_by, OLD.decided_at))
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'proposal % is decided once, as it was proposed', NEW.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'proposals_decided_once';
END
$$;
CREATE TRIGGER proposals_decided_once BEFORE INSERT OR UPDATE ON proposals FOR EACH ROW
    WHEN (current_user IN ('auth', 'wallet', 'trade', 'payment_method', 'mailer'))
    EXECUTE FUNCTION refuse_other_proposal();

DO $$ DECLARE role text; BEGIN
    FOR role IN SELECT rolname FROM pg_roles WHERE rolname IN ('auth', 'wallet', 'trade', 'payment_method', 'mailer') LOOP
        EXECUTE format('REVOKE DELETE, TRUNCATE ON proposals FROM %I', role);
        EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON audit_rows FROM %I', role);
    END LOOP;
END $$;
