-- Signatures of the treasury key over versions of platform methods. The newest one of a version counts: a version is
-- signed again when the key is replaced.
CREATE TABLE method_signatures (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    method_id   uuid        NOT NULL,
    version     integer     NOT NULL,
    -- As `treasury-key sign` prints it.
    signature   text        NOT NULL,
    attached_at timestamptz NOT NULL,
    CONSTRAINT method_signatures_pkey PRIMARY KEY (method_id, version, id),
    CONSTRAINT method_signatures_version FOREIGN KEY (method_id, version)
        REFERENCES method_versions (method_id, version),
    CONSTRAINT method_signatures_signature CHECK (length(signature) BETWEEN 1 AND 200)
);

CREATE TRIGGER method_signatures_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON method_signatures
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);
-- As before, but a proposal may carry the signature, which is no field of the version.
CREATE OR REPLACE FUNCTION is_confirmed(kind_ text, method_id_ uuid, version_ integer, change_ jsonb) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT FROM proposals
        WHERE kind = kind_ AND status = 'confirmed' AND decided_by <> proposed_by AND decided_at >= transaction_timestamp()
            AND proposed_at > transaction_timestamp() - interval '8 days'
            AND (change_ IS NULL OR change - 'signature' = change_)
            AND subject_id IS NOT DISTINCT FROM method_id_
            AND (before ->> 'version')::integer IS NOT DISTINCT FROM version_)
$$;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        GRANT SELECT, INSERT ON method_signatures TO payment_method;
        REVOKE UPDATE, DELETE, TRUNCATE ON method_signatures FROM payment_method;
    END IF;
END $$;
