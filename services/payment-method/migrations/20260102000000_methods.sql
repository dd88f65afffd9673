-- Payment methods: platform ones (deposit addresses, changed by two treasurers) and personal ones (payout
-- destinations). A method is its newest version; earlier versions stay, for deposits that were made to them.

CREATE TABLE methods (
    id          uuid        NOT NULL CONSTRAINT methods_pkey PRIMARY KEY,
    scope       text        NOT NULL,
    -- The member whose it is; unset for platform methods.
    user_id     uuid,
    -- The version in force.
    version     integer     NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    archived_at timestamptz,
    CONSTRAINT methods_scope CHECK (scope IN ('platform', 'personal')),
    CONSTRAINT methods_owner CHECK ((scope = 'personal') = (user_id IS NOT NULL))
);
CREATE INDEX methods_user ON methods (user_id) WHERE scope = 'personal' AND archived_at IS NULL;
CREATE INDEX methods_platform ON methods (created_at) WHERE scope = 'platform';

CREATE TABLE method_versions (
    method_id  uuid        NOT NULL CONSTRAINT method_versions_method REFERENCES methods (id),
    version    integer     NOT NULL,
    -- Repeated from the method, which never changes it: finds the platform's own addresses by an index.
    scope      text        NOT NULL,
    currency   text        NOT NULL,
    network    text        NOT NULL,
    address    text        NOT NULL,
    memo       text        NOT NULL,
    label      text        NOT NULL,
    image_key  text        NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT method_versions_pkey PRIMARY KEY (method_id, version),
    CONSTRAINT method_versions_version CHECK (version > 0),
    CONSTRAINT method_versions_currency CHECK (currency ~ '^[A-Z0-9]{2,10}$'),
    CONSTRAINT method_versions_network CHECK (length(network) BETWEEN 2 AND 40),
    CONSTRAINT method_versions_address CHECK (length(address) BETWEEN 10 AND 128)
);
CREATE INDEX method_versions_platform_address ON method_versions (lower(address)) WHERE scope = 'platform';

-- The version in force exists.
ALTER TABLE methods ADD CONSTRAINT methods_version FOREIGN KEY (id, version)
    REFERENCES method_versions (method_id, version) DEFERRABLE INITIALLY DEFERRED;

CREATE TRIGGER method_versions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON method_versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON methods TO payment_method;
        GRANT SELECT, INSERT ON method_versions TO payment_method;
        REVOKE UPDATE, DELETE, TRUNCATE ON method_versions, audit_rows FROM payment_method;
    END IF;
END
$$;
