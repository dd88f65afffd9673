-- The proof of liabilities (D-B6): publications, and the Merkle sum trees of the newest ones.

CREATE TABLE liability_publications (
    id           bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT liability_publications_pkey PRIMARY KEY,
    -- The moment whose balances are counted.
    at           timestamptz NOT NULL,
    -- These are set when the tree is complete, once.
    root         bytea,
    total_cents  bigint,
    leaves       bigint,
    published_at timestamptz,
    CONSTRAINT liability_publications_complete CHECK (
        (published_at IS NULL) = (root IS NULL) AND (root IS NULL) = (total_cents IS NULL)
        AND (total_cents IS NULL) = (leaves IS NULL)),
    CONSTRAINT liability_publications_root CHECK (octet_length(root) = 32)
);
-- One is built at a time.
CREATE UNIQUE INDEX liability_publications_building ON liability_publications ((published_at IS NULL))
    WHERE published_at IS NULL;
CREATE INDEX liability_publications_newest ON liability_publications (at DESC) WHERE published_at IS NOT NULL;

-- Parts of what a member is owed, in the random order of the salts.
CREATE TABLE liability_leaves (
    publication_id bigint NOT NULL CONSTRAINT liability_leaves_publication REFERENCES liability_publications,
    position       bigint NOT NULL,
    user_id        uuid   NOT NULL,
    salt           bytea  NOT NULL CONSTRAINT liability_leaves_salt CHECK (octet_length(salt) = 32),
    amount_cents   bigint NOT NULL CONSTRAINT liability_leaves_amount CHECK (amount_cents >= 0),
    CONSTRAINT liability_leaves_pkey PRIMARY KEY (publication_id, position)
);
CREATE INDEX liability_leaves_member ON liability_leaves (publication_id, user_id);

-- The tree: level 0 are the leaves; a node without a sibling rises as it is.
CREATE TABLE liability_nodes (
    publication_id bigint   NOT NULL CONSTRAINT liability_nodes_publication REFERENCES liability_publications,
    level          smallint NOT NULL,
    position       bigint   NOT NULL,
    digest         bytea    NOT NULL,
    sum_cents      bigint   NOT NULL CONSTRAINT liability_nodes_sum CHECK (sum_cents >= 0),
    CONSTRAINT liability_nodes_pkey PRIMARY KEY (publication_id, level, position)
);

-- What was published stays.
CREATE FUNCTION refuse_change_of_publication() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.published_at IS NOT NULL THEN
        RAISE EXCEPTION 'publication % is published', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN coalesce(NEW, OLD);
END
$$;
CREATE TRIGGER liability_publications_final BEFORE UPDATE OR DELETE ON liability_publications
    FOR EACH ROW EXECUTE FUNCTION refuse_change_of_publication();
