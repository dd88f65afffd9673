-- Methods of members go with the rest of their personal data. Those of the platform stay, with every version.
CREATE FUNCTION refuse_unless_personal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.scope <> 'personal' THEN
        RAISE EXCEPTION 'platform methods stay' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'methods_stay';
    END IF;
    RETURN OLD;
END
$$;
DROP TRIGGER method_versions_append_only ON method_versions;
CREATE TRIGGER method_versions_append_only BEFORE UPDATE OR TRUNCATE ON method_versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER method_versions_stay BEFORE DELETE ON method_versions
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_personal();
CREATE TRIGGER methods_stay BEFORE DELETE ON methods
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_personal();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        GRANT DELETE ON methods, method_versions TO payment_method;
    END IF;
END $$;
