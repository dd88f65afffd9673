-- How far a service has removed the personal data of members whose account was closed long ago.
CREATE TABLE erasures (
    only_row boolean NOT NULL DEFAULT true CONSTRAINT erasures_pkey PRIMARY KEY CONSTRAINT erasures_only_row CHECK (only_row),
    -- The last member, in auth's order.
    user_id  uuid    NOT NULL
);
