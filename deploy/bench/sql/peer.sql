-- What PostgreSQL does at best with one commit a transfer: one function call that claims a key, moves two balances,
-- writes two entries and one event. No chain, no posting, no foreign key: what a ledger of our own kind adds is on us.

CREATE TABLE keys (
    key        uuid        PRIMARY KEY,
    answer     jsonb       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE balances (id bigint PRIMARY KEY, cents bigint NOT NULL, CHECK (id = 0 OR cents >= 0)) WITH (fillfactor = 80);
CREATE TABLE transfers (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    bigint NOT NULL,
    key           uuid   NOT NULL,
    cents         bigint NOT NULL,
    balance_after bigint NOT NULL
);
CREATE TABLE events (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key          text   NOT NULL,
    payload      bytea  NOT NULL,
    published_at timestamptz
);
INSERT INTO balances SELECT id, 100000000 FROM generate_series(0, 10000) AS id;

CREATE FUNCTION transfer(debtor bigint, creditor bigint, amount bigint, wanted uuid) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    debtor_cents   bigint;
    creditor_cents bigint;
BEGIN
    INSERT INTO keys (key, answer) VALUES (wanted, '{"ok": null}') ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN 'replayed';
    END IF;
    PERFORM FROM balances WHERE id IN (debtor, creditor) ORDER BY id FOR UPDATE;
    UPDATE balances SET cents = cents - amount WHERE id = debtor RETURNING cents INTO debtor_cents;
    UPDATE balances SET cents = cents + amount WHERE id = creditor RETURNING cents INTO creditor_cents;
    INSERT INTO transfers (account_id, key, cents, balance_after)
        VALUES (debtor, wanted, -amount, debtor_cents), (creditor, wanted, amount, creditor_cents);
    INSERT INTO events (key, payload) VALUES ('transferred', uuid_send(wanted));
    RETURN 'applied';
END
$$;
