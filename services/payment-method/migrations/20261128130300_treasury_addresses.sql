-- Addresses of the treasury's own wallet at which change arrived: they belong to the platform, like those of its methods.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE TABLE treasury_addresses (
    address  text        NOT NULL CONSTRAINT treasury_addresses_pkey PRIMARY KEY,
    -- As people write it: `Bitcoin`.
    network  text        NOT NULL,
    found_at timestamptz NOT NULL
);

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        REVOKE ALL ON treasury_addresses FROM payment_method;
        GRANT SELECT, INSERT ON treasury_addresses TO payment_method;
    END IF;
END $$;
