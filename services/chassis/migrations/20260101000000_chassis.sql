-- What every service's database carries besides its own tables.

-- Events that wait to be published, and those that were.
CREATE TABLE outbox (
    id            bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT outbox_pkey PRIMARY KEY,
    event_id      uuid        NOT NULL CONSTRAINT outbox_event_id_key UNIQUE,
    key           text        NOT NULL,
    aggregate_id  uuid        NOT NULL,
    payload       bytea       NOT NULL,
    -- W3C trace context of the request that wrote the event.
    trace_context jsonb       NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    published_at  timestamptz
);
CREATE INDEX outbox_unpublished ON outbox (id) WHERE published_at IS NULL;
CREATE INDEX outbox_published ON outbox (published_at) WHERE published_at IS NOT NULL;

-- Events that took effect here.
CREATE TABLE inbox (
    event_id   uuid        NOT NULL CONSTRAINT inbox_pkey PRIMARY KEY,
    key        text        NOT NULL,
    handled_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Events that cannot take effect here, for people to look at; the message itself is in the dead-letter queue.
CREATE TABLE parked_events (
    event_id  text        NOT NULL CONSTRAINT parked_events_pkey PRIMARY KEY,
    key       text        NOT NULL,
    payload   bytea       NOT NULL,
    cause     text        NOT NULL,
    parked_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Answers to keyed mutations, kept 24 hours.
CREATE TABLE idempotency_keys (
    user_id     uuid        NOT NULL,
    route       text        NOT NULL,
    key         text        NOT NULL,
    fingerprint bytea       NOT NULL,
    request_id  text        NOT NULL,
    -- {"ok": …} or {"refused": …}; unset only inside the transaction that claims the key.
    outcome     jsonb,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (user_id, route, key),
    CONSTRAINT idempotency_keys_key_length CHECK (length(key) BETWEEN 1 AND 255)
);
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);

-- Changes that wait for a second person.
CREATE TABLE proposals (
    id          uuid        NOT NULL CONSTRAINT proposals_pkey PRIMARY KEY,
    kind        text        NOT NULL,
    subject_id  uuid,
    change      jsonb       NOT NULL,
    before      jsonb,
    status      text        NOT NULL DEFAULT 'open',
    proposed_by uuid        NOT NULL,
    proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    decided_by  uuid,
    decided_at  timestamptz,
    CONSTRAINT proposals_status CHECK (status IN ('open', 'confirmed', 'rejected')),
    CONSTRAINT proposals_decision CHECK ((status = 'open') = (decided_by IS NULL) AND (decided_by IS NULL) = (decided_at IS NULL)),
    CONSTRAINT proposals_two_people CHECK (status <> 'confirmed' OR decided_by <> proposed_by)
);
CREATE INDEX proposals_proposed_at ON proposals (proposed_at DESC, id DESC);

-- What staff did: append-only, each row chained to the one before.
CREATE TABLE audit_rows (
    id         bigint      NOT NULL CONSTRAINT audit_rows_pkey PRIMARY KEY,
    at         timestamptz NOT NULL,
    actor_id   uuid        NOT NULL,
    actor_role text        NOT NULL,
    action     text        NOT NULL,
    subject_id text        NOT NULL,
    member_id  uuid,
    before     jsonb,
    after      jsonb,
    address    text        NOT NULL,
    hash       bytea       NOT NULL
);
CREATE INDEX audit_rows_member ON audit_rows (member_id, id DESC) WHERE member_id IS NOT NULL;

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_rows_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_rows
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
