-- Which version of the risk page a member has read and understood, and since when.
CREATE TABLE risk_answers (
    user_id     uuid        NOT NULL,
    version     integer     NOT NULL,
    answered_at timestamptz NOT NULL,
    CONSTRAINT risk_answers_pkey PRIMARY KEY (user_id, version),
    CONSTRAINT risk_answers_version CHECK (version > 0)
);
CREATE TRIGGER risk_answers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON risk_answers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'trade') THEN
        GRANT SELECT, INSERT ON risk_answers TO trade;
        REVOKE UPDATE, DELETE, TRUNCATE ON risk_answers FROM trade;
    END IF;
END
$$;
