-- The service's own role makes, changes and ends a platform method only as two people proposed and confirmed it: the same
-- method, the same fields, in the transaction of the confirmation.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Whether a proposal of this kind about this version of a method was confirmed in this transaction.
CREATE FUNCTION is_confirmed(kind_ text, method_id_ uuid, version_ integer, change_ jsonb) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT FROM proposals
        WHERE kind = kind_ AND status = 'confirmed' AND decided_by <> proposed_by AND decided_at >= transaction_timestamp()
            AND proposed_at > transaction_timestamp() - interval '8 days' AND (change_ IS NULL OR change = change_)
            AND subject_id IS NOT DISTINCT FROM method_id_
            AND (before ->> 'version')::integer IS NOT DISTINCT FROM version_)
$$;

CREATE FUNCTION refuse_unproposed_version() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    of_method text := (SELECT scope FROM methods WHERE id = NEW.method_id);
    fields jsonb := jsonb_build_object('currency', NEW.currency, 'network', NEW.network, 'address', NEW.address,
        'memo', NEW.memo, 'label', NEW.label, 'imageKey', NEW.image_key);
BEGIN
    IF of_method IS DISTINCT FROM NEW.scope OR NEW.scope = 'platform' AND NOT (CASE NEW.version
        WHEN 1 THEN is_confirmed('payment_method.create', NULL, NULL, fields)
        ELSE is_confirmed('payment_method.update', NEW.method_id, NEW.version - 1, fields) END)
    THEN
        RAISE EXCEPTION 'platform method % is what two people proposed and confirmed', NEW.method_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'methods_as_proposed';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER method_versions_as_proposed BEFORE INSERT ON method_versions FOR EACH ROW
    WHEN (current_user = 'payment_method') EXECUTE FUNCTION refuse_unproposed_version();

CREATE FUNCTION refuse_unproposed_method() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF (NEW.id, NEW.scope, NEW.user_id, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.scope, OLD.user_id, OLD.created_at)
        OR NEW.version NOT IN (OLD.version, OLD.version + 1)
        OR OLD.scope = 'platform' AND NEW.archived_at IS DISTINCT FROM OLD.archived_at
            AND NOT (OLD.archived_at IS NULL AND NEW.version = OLD.version
                AND is_confirmed('payment_method.archive', OLD.id, OLD.version, NULL))
    THEN
        RAISE EXCEPTION 'method % stays as it was confirmed', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'methods_as_proposed';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER methods_as_proposed BEFORE UPDATE ON methods FOR EACH ROW
    WHEN (current_user = 'payment_method') EXECUTE FUNCTION refuse_unproposed_method();
