-- What every service's database has besides its own tables.

-- Events that wait to be published, and those that were. Rows of this table, the inbox and the keys come and go all day: they
-- are vacuumed when a hundredth is dead, not a fifth of millions, and what is only inserted is frozen in small steps.
CREATE TABLE outbox (
    id            bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT outbox_pkey PRIMARY KEY,
    -- Made at random. The row is found by its number, so no index keeps this unique.
    event_id      uuid        NOT NULL,
    key           text        NOT NULL,
    aggregate_id  uuid        NOT NULL,
    payload       bytea       NOT NULL,
    -- W3C trace context of the request that wrote the event.
    trace_context jsonb       NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    published_at  timestamptz
) WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02
);
CREATE INDEX outbox_unpublished ON outbox (id) WHERE published_at IS NULL;
CREATE INDEX outbox_published ON outbox (published_at) WHERE published_at IS NOT NULL;

-- Events that took effect here.
CREATE TABLE inbox (
    event_id   uuid        NOT NULL CONSTRAINT inbox_pkey PRIMARY KEY,
    key        text        NOT NULL,
    handled_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05
);
-- Finds old rows, which are forgotten.
CREATE INDEX inbox_handled_at ON inbox (handled_at);

-- Events that cannot take effect here, for people to look at; the message itself is in the dead-letter queue.
CREATE TABLE dead_letters (
    event_id  text        NOT NULL CONSTRAINT dead_letters_pkey PRIMARY KEY,
    key       text        NOT NULL,
    payload   bytea       NOT NULL,
    cause     text        NOT NULL,
    at        timestamptz NOT NULL DEFAULT clock_timestamp()
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
) WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02
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

-- A service's own role proposes, and decides once: who proposed what, and what was decided, stays.
CREATE FUNCTION refuse_other_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NEW.status = 'open' THEN
        RETURN NEW;
    ELSIF TG_OP = 'UPDATE'
        AND (NEW.id, NEW.kind, NEW.change, NEW.before, NEW.proposed_by, NEW.proposed_at)
            IS NOT DISTINCT FROM (OLD.id, OLD.kind, OLD.change, OLD.before, OLD.proposed_by, OLD.proposed_at)
        -- What a proposal makes is named once it is there.
        AND (OLD.subject_id IS NULL OR NEW.subject_id = OLD.subject_id)
        AND (OLD.status = 'open' OR (NEW.status, NEW.decided_by, NEW.decided_at)
            IS NOT DISTINCT FROM (OLD.status, OLD.decided_by, OLD.decided_at))
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'proposal % is decided once, as it was proposed', NEW.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'proposals_decided_once';
END
$$;
CREATE TRIGGER proposals_decided_once BEFORE INSERT OR UPDATE ON proposals FOR EACH ROW
    WHEN (current_user IN ('auth', 'wallet', 'trade', 'payment_method', 'mailer'))
    EXECUTE FUNCTION refuse_other_proposal();

-- A service's own role decides a proposal only together with a row of the audit log about it, by the same person: a decision
-- that auth did not sign is then a row without a signature, which the audit program names.
CREATE FUNCTION refuse_unrecorded_decision() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.decided_at < transaction_timestamp() OR NOT EXISTS (
        -- The transaction's own rows are among the newest: the log has one writer at a time.
        SELECT FROM (SELECT actor_id, at FROM audit_rows ORDER BY id DESC LIMIT 100) AS newest
        WHERE actor_id = NEW.decided_by AND at >= NEW.decided_at)
    THEN
        RAISE EXCEPTION 'the decision about proposal % is not in the audit log', NEW.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'proposals_recorded';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER proposals_recorded AFTER UPDATE OF status ON proposals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.status = 'open' AND NEW.status <> 'open'
        AND current_user IN ('auth', 'wallet', 'trade', 'payment_method', 'mailer'))
    EXECUTE FUNCTION refuse_unrecorded_decision();

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
    hash       bytea       NOT NULL,
    -- What auth signed of a decision, and the signature; unset unless it is a decision.
    decision   jsonb,
    assertion  text
);
CREATE INDEX audit_rows_member ON audit_rows (member_id, id DESC) WHERE member_id IS NOT NULL;
-- The newest rows of each action, of everybody and of one person. With the time, so that a search in a period reads no rows that it
-- does not show.
CREATE INDEX audit_rows_action ON audit_rows (action COLLATE "C", id) INCLUDE (at);
CREATE INDEX audit_rows_actor ON audit_rows (actor_id, action COLLATE "C", id) INCLUDE (at);
-- Where a period begins and ends.
CREATE INDEX audit_rows_at ON audit_rows (at, id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_rows_append_only BEFORE UPDATE OR DELETE ON audit_rows
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_rows_not_truncated BEFORE TRUNCATE ON audit_rows
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- How far a service has removed the personal data of members whose account was closed long ago.
CREATE TABLE erasures (
    only_row boolean NOT NULL DEFAULT true CONSTRAINT erasures_pkey PRIMARY KEY CONSTRAINT erasures_only_row CHECK (only_row),
    -- The last member, in auth's order.
    user_id  uuid    NOT NULL
);

-- The tables of authority can only grow, and what is proposed stays.
DO $$ DECLARE role text; BEGIN
    FOR role IN SELECT rolname FROM pg_roles
        WHERE rolname IN ('auth', 'wallet', 'trade', 'payment_method', 'mailer', 'course', 'cases')
    LOOP
        EXECUTE format('REVOKE DELETE, TRUNCATE ON proposals FROM %I', role);
        EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON audit_rows FROM %I', role);
    END LOOP;
END $$;
