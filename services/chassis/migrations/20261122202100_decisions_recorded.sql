-- A service's own role decides a proposal only together with a row of the audit log about it, by the same person: a decision
-- that auth did not sign is then a row without a signature, which the audit program names.

-- No table of the caller's own comes in the way of those that the functions read.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE FUNCTION refuse_unrecorded_decision() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.decided_at < transaction_timestamp() OR NOT EXISTS (
        -- The transaction's own rows are among the newest: the log has one writer at a time.
        SELECT FROM (SELECT actor_id, at FROM audit_rows ORDER BY id DESC LIMIT 100) AS newest
        WHERE actor_id = NEW.decided_by AND at >= NEW.decided_at)
    THEN
        RAISE EXCEPTION 'the decision about proposal % is not in the audit log', NEW.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'proposals_recorded';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER proposals_recorded AFTER UPDATE OF status ON proposals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.status = 'open' AND NEW.status <> 'open'
        AND current_user IN ('auth', 'wallet', 'trade', 'payment_method', 'mailer'))
    EXECUTE FUNCTION refuse_unrecorded_decision();
