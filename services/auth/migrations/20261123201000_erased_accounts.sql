-- What happens to closed accounts later: their address becomes free, and their personal data is removed.
ALTER TABLE users
    -- The address of a closed account, once others may use it.
    ADD COLUMN former_email text,
    -- When the personal data was removed.
    ADD COLUMN erased_at timestamptz;

-- In the order of their removal: other services remove what they keep of these members.
CREATE TABLE erased_members (
    id      bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT erased_members_pkey PRIMARY KEY,
    user_id uuid   NOT NULL CONSTRAINT erased_members_user_key UNIQUE CONSTRAINT erased_members_user_fkey REFERENCES users
);

-- Notes go with the personal data of a closed account, and are never changed.
CREATE FUNCTION refuse_unless_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM users WHERE id = OLD.user_id AND closed_at < clock_timestamp() - interval '30 days') THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;
DROP TRIGGER member_notes_append_only ON member_notes;
CREATE TRIGGER member_notes_append_only BEFORE UPDATE OR TRUNCATE ON member_notes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER member_notes_of_closed_accounts BEFORE DELETE ON member_notes
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_closed();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'auth') THEN
        GRANT DELETE ON member_notes TO auth;
        REVOKE UPDATE, DELETE, TRUNCATE ON erased_members FROM auth;
    END IF;
END $$;
