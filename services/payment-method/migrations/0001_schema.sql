-- Payment methods: those of the platform (deposit addresses, changed by two treasurers) and of members (payout destinations),
-- quotes with the rates that they follow from, and the payments and holdings on the chains.

-- What makes two addresses one: small letters where case says nothing, in hexadecimal digits and bech32 in capitals. In base58
-- two addresses may differ by case alone. As in the wallet.
CREATE FUNCTION address_key(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN address ~ '^(0[xX][0-9A-Fa-f]+|BC1[0-9A-Z]+)$' THEN lower(address) ELSE address END
$$;

-- A method is its newest version; earlier versions stay, for deposits that were made to them.
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
-- A member's methods, also archived ones, for the download of their data.
CREATE INDEX methods_owner ON methods (user_id) WHERE scope = 'personal';

-- Whether a proposal of this kind about this version of a method was confirmed in this transaction. It may carry a signature,
-- which is no field of the version.
CREATE FUNCTION is_confirmed(kind_ text, method_id_ uuid, version_ integer, change_ jsonb) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT FROM proposals
        WHERE kind = kind_ AND status = 'confirmed' AND decided_by <> proposed_by AND decided_at >= transaction_timestamp()
            AND proposed_at > transaction_timestamp() - interval '8 days'
            AND (change_ IS NULL OR change - 'signature' = change_)
            AND subject_id IS NOT DISTINCT FROM method_id_
            AND (before ->> 'version')::integer IS NOT DISTINCT FROM version_)
$$;

-- The service's own role makes, changes and ends a platform method only as two people proposed and confirmed it: the same
-- method, the same fields, in the transaction of the confirmation.
CREATE FUNCTION refuse_unproposed_method() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF (NEW.id, NEW.scope, NEW.user_id, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.scope, OLD.user_id, OLD.created_at)
        OR NEW.version NOT IN (OLD.version, OLD.version + 1)
        OR OLD.scope = 'platform' AND NEW.archived_at IS DISTINCT FROM OLD.archived_at
            AND NOT (OLD.archived_at IS NULL AND NEW.version = OLD.version
                AND is_confirmed('payment_method.archive', OLD.id, OLD.version, NULL))
    THEN
        RAISE EXCEPTION 'method % stays as it was confirmed', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'methods_as_proposed';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER methods_as_proposed BEFORE UPDATE ON methods FOR EACH ROW
    WHEN (current_user = 'payment_method') EXECUTE FUNCTION refuse_unproposed_method();

-- Methods of members go with the rest of their personal data. Those of the platform stay, with every version.
CREATE FUNCTION refuse_unless_personal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.scope <> 'personal' THEN
        RAISE EXCEPTION 'platform methods stay' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'methods_stay';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER methods_stay BEFORE DELETE ON methods
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_personal();

-- What a method was, from its creation or a change on.
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
    -- An address, or an output descriptor in its place.
    CONSTRAINT method_versions_address CHECK (length(address) BETWEEN 10 AND 200)
);
CREATE INDEX method_versions_platform_address ON method_versions (address_key(address)) WHERE scope = 'platform';
-- Whether a stored picture is a method's.
CREATE INDEX method_versions_image ON method_versions (image_key) WHERE image_key <> '';

-- The version in force exists.
ALTER TABLE methods ADD CONSTRAINT methods_version FOREIGN KEY (id, version)
    REFERENCES method_versions (method_id, version) DEFERRABLE INITIALLY DEFERRED;

CREATE FUNCTION refuse_unproposed_version() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    of_method text := (SELECT scope FROM methods WHERE id = NEW.method_id);
    fields jsonb := jsonb_build_object('currency', NEW.currency, 'network', NEW.network, 'address', NEW.address,
        'memo', NEW.memo, 'label', NEW.label, 'imageKey', NEW.image_key);
BEGIN
    IF of_method IS DISTINCT FROM NEW.scope OR NEW.scope = 'platform' AND NOT (CASE NEW.version
        WHEN 1 THEN is_confirmed('payment_method.create', NULL, NULL, fields)
        ELSE is_confirmed('payment_method.update', NEW.method_id, NEW.version - 1, fields) END)
    THEN
        RAISE EXCEPTION 'platform method % is what two people proposed and confirmed', NEW.method_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'methods_as_proposed';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER method_versions_as_proposed BEFORE INSERT ON method_versions FOR EACH ROW
    WHEN (current_user = 'payment_method') EXECUTE FUNCTION refuse_unproposed_version();
CREATE TRIGGER method_versions_append_only BEFORE UPDATE OR TRUNCATE ON method_versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER method_versions_stay BEFORE DELETE ON method_versions
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_personal();

-- Signatures of the treasury key over versions of platform methods. The newest one of a version counts: a version is
-- signed again when the key is replaced.
CREATE TABLE method_signatures (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    method_id   uuid        NOT NULL,
    version     integer     NOT NULL,
    -- As `treasury-key sign` prints it.
    signature   text        NOT NULL,
    attached_at timestamptz NOT NULL,
    CONSTRAINT method_signatures_pkey PRIMARY KEY (method_id, version, id),
    CONSTRAINT method_signatures_version FOREIGN KEY (method_id, version)
        REFERENCES method_versions (method_id, version),
    CONSTRAINT method_signatures_signature CHECK (length(signature) BETWEEN 1 AND 200)
);

CREATE TRIGGER method_signatures_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON method_signatures
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Messages that the private keys of addresses of the platform signed. The newest one of an address counts: the operator
-- signs again every year.
CREATE TABLE address_proofs (
    id          bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT address_proofs_pkey PRIMARY KEY,
    network     text        NOT NULL,
    address     text        NOT NULL,
    message     text        NOT NULL,
    signature   text        NOT NULL,
    attached_at timestamptz NOT NULL,
    CONSTRAINT address_proofs_message CHECK (message ~ '^.{1,100} controls the address \S+ on \d{4}-\d{2}-\d{2}$'
        AND split_part(right(message, -position(' controls the address ' IN message)), ' ', 4) = address),
    CONSTRAINT address_proofs_signature CHECK (length(signature) BETWEEN 1 AND 2000)
);

CREATE TRIGGER address_proofs_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON address_proofs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The coins and tokens that the platform knows. Only a migration changes them: a person who could change a contract could
-- have worthless tokens taken for money.
CREATE TABLE assets (
    -- As domain/network.rs names it.
    chain     text     NOT NULL,
    symbol    text     NOT NULL,
    -- Of a token; empty for the coin of the chain.
    contract  text     NOT NULL,
    -- Digits after the point of a whole unit.
    decimals  smallint NOT NULL,
    -- By how many of the smallest unit the open quotes of one address differ.
    tail_step bigint   NOT NULL,
    -- Whether it is worth a dollar as long as nothing is wrong with it.
    pegged    boolean  NOT NULL,
    CONSTRAINT assets_pkey PRIMARY KEY (chain, symbol),
    CONSTRAINT assets_symbol CHECK (symbol ~ '^[A-Z0-9]{2,10}$'),
    CONSTRAINT assets_decimals CHECK (decimals BETWEEN 0 AND 18),
    CONSTRAINT assets_tail CHECK (tail_step > 0)
);

INSERT INTO assets (chain, symbol, contract, decimals, tail_step, pegged) VALUES
    ('bitcoin', 'BTC', '', 8, 1, false),
    ('ethereum', 'ETH', '', 18, 1000000000, false),
    ('ethereum', 'USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6, 1000, true),
    ('ethereum', 'USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6, 1000, true),
    ('tron', 'TRX', '', 6, 1000, false),
    ('tron', 'USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 6, 1000, true);

-- What a source said, or two people published.
CREATE TABLE rate_points (
    id          bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT rate_points_pkey PRIMARY KEY,
    symbol      text        NOT NULL,
    source      text        NOT NULL,
    -- Millionths of a dollar for a whole unit.
    bid_micros  bigint      NOT NULL,
    ask_micros  bigint      NOT NULL,
    -- The time that the source states, if it states one.
    source_at   timestamptz,
    read_at     timestamptz NOT NULL,
    -- Published rates: until when they count, and the proposal that was confirmed.
    valid_until timestamptz,
    proposal_id uuid        CONSTRAINT rate_points_proposal REFERENCES proposals (id),
    CONSTRAINT rate_points_positive CHECK (bid_micros > 0 AND bid_micros <= ask_micros),
    CONSTRAINT rate_points_published CHECK ((proposal_id IS NULL) = (valid_until IS NULL)),
    CONSTRAINT rate_points_source CHECK (proposal_id IS NOT NULL OR source IN ('kraken', 'coinbase', 'bitstamp')),
    CONSTRAINT rate_points_once UNIQUE (proposal_id)
);
CREATE INDEX rate_points_newest ON rate_points (symbol, read_at DESC) WHERE proposal_id IS NULL;
CREATE INDEX rate_points_in_force ON rate_points (symbol, valid_until) WHERE proposal_id IS NOT NULL;
CREATE INDEX rate_points_age ON rate_points (read_at) WHERE proposal_id IS NULL;

-- Points never change. Those of sources are forgotten after a month: a quote keeps the ones that it was made of.
CREATE FUNCTION keep_rate_points() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'UPDATE' OR OLD.proposal_id IS NOT NULL OR OLD.read_at > transaction_timestamp() - interval '30 days' THEN
        RAISE EXCEPTION 'rate point % is kept', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'rate_points_kept';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER rate_points_kept BEFORE UPDATE OR DELETE ON rate_points FOR EACH ROW EXECUTE FUNCTION keep_rate_points();
CREATE TRIGGER rate_points_not_truncated BEFORE TRUNCATE ON rate_points
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The service's own role publishes a rate only as two people proposed and confirmed it, in the transaction of the
-- confirmation, and for no longer.
CREATE FUNCTION refuse_unproposed_rate() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM proposals
        WHERE id = NEW.proposal_id AND kind = 'rate.publish' AND status = 'confirmed' AND decided_by <> proposed_by
            AND decided_at >= transaction_timestamp() AND proposed_at > transaction_timestamp() - interval '8 days'
            AND change = jsonb_build_object('asset', NEW.symbol, 'bidMicros', NEW.bid_micros, 'askMicros', NEW.ask_micros,
                'source', NEW.source, 'validMinutes', change -> 'validMinutes')
            AND NEW.read_at = transaction_timestamp()
            AND NEW.valid_until = NEW.read_at + make_interval(mins => (change ->> 'validMinutes')::integer))
    THEN
        RAISE EXCEPTION 'the rate of % is what two people proposed and confirmed', NEW.symbol
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'rate_points_as_proposed';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER rate_points_as_proposed BEFORE INSERT ON rate_points FOR EACH ROW
    WHEN (current_user = 'payment_method' AND NEW.proposal_id IS NOT NULL) EXECUTE FUNCTION refuse_unproposed_rate();

-- Nobody dates back what a source said: the value of an earlier payment would follow from it.
CREATE FUNCTION refuse_old_point() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION 'a rate of % is stored when it is read', NEW.symbol
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'rate_points_read_now';
END
$$;
CREATE TRIGGER rate_points_read_now BEFORE INSERT ON rate_points FOR EACH ROW
    WHEN (current_user = 'payment_method' AND NEW.proposal_id IS NULL
        AND NOT NEW.read_at BETWEEN transaction_timestamp() - interval '1 minute' AND transaction_timestamp())
    EXECUTE FUNCTION refuse_old_point();

-- When the sources were asked last: one process at a time asks them.
CREATE TABLE rate_polls (
    only_row boolean     NOT NULL DEFAULT true CONSTRAINT rate_polls_pkey PRIMARY KEY,
    begun_at timestamptz NOT NULL,
    CONSTRAINT rate_polls_only_row CHECK (only_row)
);

INSERT INTO rate_polls (begun_at) VALUES ('-infinity');

-- What a member was offered for a deposit or a withdrawal.
CREATE TABLE quotes (
    id             uuid          NOT NULL CONSTRAINT quotes_pkey PRIMARY KEY,
    user_id        uuid          NOT NULL,
    direction      text          NOT NULL,
    -- As requested, and the part that the units are worth: a withdrawal's amount after its fee.
    amount_cents   bigint        NOT NULL,
    priced_cents   bigint        NOT NULL,
    method_id      uuid          NOT NULL,
    method_version integer       NOT NULL,
    currency       text          NOT NULL,
    network        text          NOT NULL,
    -- The platform's, of deposits; empty for withdrawals.
    address        text          NOT NULL,
    memo           text          NOT NULL,
    chain          text          NOT NULL,
    symbol         text          NOT NULL,
    contract       text          NOT NULL,
    decimals       smallint      NOT NULL,
    -- In the smallest unit, the tail included.
    units          numeric(39,0) NOT NULL,
    rate_micros    bigint        NOT NULL,
    spread_bps     integer       NOT NULL,
    -- The points that the rate is the median of.
    sources        jsonb         NOT NULL,
    created_at     timestamptz   NOT NULL,
    expires_at     timestamptz   NOT NULL,
    CONSTRAINT quotes_method FOREIGN KEY (method_id, method_version) REFERENCES method_versions (method_id, version),
    CONSTRAINT quotes_asset FOREIGN KEY (chain, symbol) REFERENCES assets (chain, symbol),
    CONSTRAINT quotes_direction CHECK (direction IN ('deposit', 'withdrawal')),
    CONSTRAINT quotes_amount CHECK (priced_cents > 0 AND priced_cents <= amount_cents),
    CONSTRAINT quotes_units CHECK (units > 0),
    CONSTRAINT quotes_address CHECK ((direction = 'deposit') = (address <> '')),
    CONSTRAINT quotes_life CHECK (expires_at > created_at)
);
CREATE INDEX quotes_member ON quotes (user_id, expires_at);
CREATE INDEX quotes_address_units ON quotes (address_key(address), symbol, expires_at) WHERE direction = 'deposit';
-- Quotes that are old enough to be forgotten.
CREATE INDEX quotes_age ON quotes (expires_at);

-- Quotes never change. They are forgotten long after they expired, and with the personal data of their member: a transaction
-- keeps a copy of the quote that it used.
CREATE FUNCTION keep_quotes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'UPDATE' OR OLD.expires_at > transaction_timestamp() - interval '1 day' THEN
        RAISE EXCEPTION 'quote % is kept', OLD.id USING ERRCODE = 'restrict_violation', CONSTRAINT = 'quotes_kept';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER quotes_kept BEFORE UPDATE OR DELETE ON quotes FOR EACH ROW EXECUTE FUNCTION keep_quotes();
CREATE TRIGGER quotes_not_truncated BEFORE TRUNCATE ON quotes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A quote is made now, at the median of points that are stored and count now. A deposit asks for at least as many units as its
-- amount is worth, a withdrawal gets at most as many.
CREATE FUNCTION refuse_unfounded_quote() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    prices bigint[];
    number integer;
    is_published boolean;
    due    numeric := NEW.priced_cents::numeric * 10 ^ (NEW.decimals + 8)::numeric;
    worth  numeric := NEW.units * NEW.rate_micros
        * (10000 + CASE NEW.direction WHEN 'deposit' THEN -NEW.spread_bps ELSE NEW.spread_bps END);
BEGIN
    SELECT array_agg(price ORDER BY price), count(*), bool_or(published) INTO prices, number, is_published FROM (
        SELECT DISTINCT ON (point.source) proposal_id IS NOT NULL AS published,
            CASE NEW.direction WHEN 'deposit' THEN bid_micros ELSE ask_micros END AS price
        FROM jsonb_array_elements(NEW.sources) AS stated
        JOIN rate_points AS point ON point.symbol = NEW.symbol AND point.source = stated ->> 'source'
            AND bid_micros = (stated ->> 'bid')::bigint AND ask_micros = (stated ->> 'ask')::bigint
            AND read_at <= NEW.created_at
            AND coalesce(valid_until > NEW.created_at,
                least(source_at, read_at) BETWEEN NEW.created_at - interval '120 seconds' AND NEW.created_at)
    ) AS founded;
    IF NOT coalesce(number = jsonb_array_length(NEW.sources) AND (number >= 2 OR is_published)
        AND NEW.rate_micros = (prices[(number + 1) / 2] + prices[number / 2 + 1]) / 2
        AND CASE NEW.direction WHEN 'deposit' THEN worth >= due ELSE worth <= due END
        AND NEW.created_at = transaction_timestamp() AND NEW.expires_at = NEW.created_at + interval '15 minutes', false)
    THEN
        RAISE EXCEPTION 'quote % does not follow from the rates', NEW.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'quotes_from_points';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER quotes_from_points BEFORE INSERT ON quotes FOR EACH ROW
    WHEN (current_user = 'payment_method') EXECUTE FUNCTION refuse_unfounded_quote();

-- Payments to and from the platform that nodes reported.
CREATE TABLE chain_payments (
    id             bigint        GENERATED ALWAYS AS IDENTITY CONSTRAINT chain_payments_pkey PRIMARY KEY,
    -- As domain/network.rs names it.
    chain          text          NOT NULL,
    -- In lower case, without 0x.
    txid           text          NOT NULL,
    -- Of the output, or of the token's log within the transaction; the coin of an EVM chain comes after all logs.
    idx            integer       NOT NULL,
    way            text          NOT NULL,
    symbol         text          NOT NULL,
    -- Of the platform, as staff entered it.
    address        text          NOT NULL,
    -- The other side; empty where the chain does not show it.
    counterparty   text          NOT NULL,
    -- In the smallest unit.
    units          numeric(39,0) NOT NULL,
    -- How many blocks are expected to make it final.
    depth          integer       NOT NULL,
    state          text          NOT NULL,
    height         bigint,
    block_hash     text          NOT NULL,
    block_at       timestamptz,
    -- The transaction that spent the same coins, if it was replaced.
    replaced_by    text          NOT NULL,
    seen_at        timestamptz   NOT NULL,
    changed_at     timestamptz   NOT NULL,
    -- The withdrawal of the wallet that a payout was made for.
    transaction_id uuid,
    -- Whether it waits for a block, and so moves coins already; also after its block was replaced.
    waits          boolean       NOT NULL DEFAULT false,
    -- When it was seen first; after an outage of the observer, by the clock of its block.
    arrived_at     timestamptz,
    -- The bid of that moment, the spread, and the value of the units at both. Unset without a rate.
    rate_micros    bigint,
    spread_bps     integer,
    value_cents    bigint,
    -- Whether a transaction of the wallet rests on it. Only such payments are reported when they do not count any more, so that
    -- replacing other payments pushes none of them out of a list.
    is_consumed    boolean       NOT NULL DEFAULT false,
    CONSTRAINT chain_payments_key UNIQUE (chain, txid, idx, way),
    CONSTRAINT chain_payments_asset FOREIGN KEY (chain, symbol) REFERENCES assets (chain, symbol),
    CONSTRAINT chain_payments_txid CHECK (txid ~ '^[0-9a-f]{64}$'),
    CONSTRAINT chain_payments_idx CHECK (idx >= 0),
    CONSTRAINT chain_payments_units CHECK (units > 0),
    CONSTRAINT chain_payments_depth CHECK (depth > 0),
    CONSTRAINT chain_payments_state CHECK (state IN ('seen', 'included', 'final', 'orphaned', 'replaced', 'failed')),
    CONSTRAINT chain_payments_block CHECK ((height IS NULL) = (block_at IS NULL) AND (height IS NULL) = (block_hash = '')
        AND (height IS NOT NULL OR state NOT IN ('included', 'final'))),
    CONSTRAINT chain_payments_way CHECK (way IN ('in', 'out', 'fee')),
    CONSTRAINT chain_payments_transaction CHECK (transaction_id IS NULL OR way = 'out'),
    CONSTRAINT chain_payments_arrived CHECK (arrived_at <= seen_at),
    CONSTRAINT chain_payments_value CHECK (num_nulls(rate_micros, spread_bps, value_cents) IN (0, 3)
        AND rate_micros > 0 AND spread_bps BETWEEN 0 AND 1000 AND value_cents >= 0)
);
CREATE INDEX chain_payments_open ON chain_payments (chain, height) WHERE state IN ('seen', 'included', 'final');
CREATE INDEX chain_payments_address ON chain_payments (address_key(address), way, seen_at);
CREATE INDEX chain_payments_age ON chain_payments (way, id);
CREATE INDEX chain_payments_moves
    ON chain_payments (chain, symbol, address, coalesce(height, 9223372036854775807))
    WHERE waits OR state IN ('included', 'final');
CREATE INDEX chain_payments_outflows ON chain_payments (id)
    WHERE way = 'out' AND transaction_id IS NULL AND state IN ('seen', 'included', 'final');
CREATE INDEX chain_payments_replaced ON chain_payments (chain, replaced_by) WHERE replaced_by <> '';
CREATE INDEX chain_payments_gone ON chain_payments (changed_at)
    WHERE (way = 'out' OR is_consumed) AND state IN ('orphaned', 'replaced', 'failed');

-- What was paid never changes; what became of it follows the chain. Nothing is forgotten.
CREATE FUNCTION keep_chain_payments() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF (NEW.id, NEW.chain, NEW.txid, NEW.idx, NEW.way, NEW.symbol, NEW.address, NEW.counterparty, NEW.units, NEW.depth,
            NEW.seen_at)
        IS DISTINCT FROM (OLD.id, OLD.chain, OLD.txid, OLD.idx, OLD.way, OLD.symbol, OLD.address, OLD.counterparty,
            OLD.units, OLD.depth, OLD.seen_at)
        OR NEW.changed_at < OLD.changed_at
    THEN
        RAISE EXCEPTION 'payment % stays as it was seen', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'chain_payments_kept';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER chain_payments_kept BEFORE UPDATE ON chain_payments FOR EACH ROW EXECUTE FUNCTION keep_chain_payments();
CREATE TRIGGER chain_payments_append_only BEFORE DELETE OR TRUNCATE ON chain_payments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A payout stays with its withdrawal.
CREATE FUNCTION refuse_other_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION 'payment % belongs to a withdrawal', OLD.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'chain_payments_matched_once';
END
$$;
CREATE TRIGGER chain_payments_matched_once BEFORE UPDATE ON chain_payments FOR EACH ROW
    WHEN (OLD.transaction_id IS NOT NULL AND NEW.transaction_id IS DISTINCT FROM OLD.transaction_id)
    EXECUTE FUNCTION refuse_other_transaction();

-- The value is that of the arrival: nobody computes it again at a rate that they like better.
CREATE FUNCTION refuse_other_value() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION 'payment % keeps the value of its arrival', OLD.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'chain_payments_valued_once';
END
$$;
CREATE TRIGGER chain_payments_valued_once BEFORE UPDATE ON chain_payments FOR EACH ROW
    WHEN ((NEW.arrived_at, NEW.rate_micros, NEW.spread_bps, NEW.value_cents)
        IS DISTINCT FROM (OLD.arrived_at, OLD.rate_micros, OLD.spread_bps, OLD.value_cents))
    EXECUTE FUNCTION refuse_other_value();

-- A payment is stored when it is seen, with the value that its units have at its rate.
CREATE FUNCTION refuse_unseen_payment() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT NEW.seen_at BETWEEN transaction_timestamp() - interval '10 minutes' AND transaction_timestamp()
        OR NEW.value_cents <> div(NEW.units * NEW.rate_micros * (10000 - NEW.spread_bps),
            10 ^ (8 + (SELECT decimals FROM assets WHERE chain = NEW.chain AND symbol = NEW.symbol))::numeric)
    THEN
        RAISE EXCEPTION 'payment % of % is stored as it is seen', NEW.idx, NEW.txid
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'chain_payments_as_seen';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER chain_payments_as_seen BEFORE INSERT ON chain_payments FOR EACH ROW
    WHEN (current_user = 'payment_method') EXECUTE FUNCTION refuse_unseen_payment();

-- How far each chain was read.
CREATE TABLE chain_cursors (
    chain        text        NOT NULL CONSTRAINT chain_cursors_pkey PRIMARY KEY,
    -- Up to here blocks are final and were read.
    height       bigint,
    -- The newest block at the last reading.
    tip_height   bigint,
    tip_at       timestamptz,
    -- The last reading that succeeded.
    observed_at  timestamptz,
    -- Why it cannot be read now; empty if it can.
    trouble      text        NOT NULL DEFAULT '',
    -- One process at a time reads a chain; another takes over when it ends.
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
);

INSERT INTO chain_cursors (chain) VALUES ('bitcoin'), ('ethereum'), ('tron');

CREATE FUNCTION keep_chain_cursors() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.chain <> OLD.chain OR OLD.height IS NOT NULL AND (NEW.height IS NULL OR NEW.height < OLD.height) THEN
        RAISE EXCEPTION 'the cursor of % does not go back', OLD.chain
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'chain_cursors_forward';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER chain_cursors_forward BEFORE UPDATE ON chain_cursors FOR EACH ROW EXECUTE FUNCTION keep_chain_cursors();

-- What the addresses of the platform hold.
CREATE TABLE holdings (
    chain          text          NOT NULL,
    symbol         text          NOT NULL,
    -- Of the platform, as staff entered it.
    address        text          NOT NULL,
    -- Whether it is an address of one member. There are many of these, and most are empty once they were swept.
    is_own         boolean       NOT NULL,
    -- What it held at a height when it was read first. Payments above that height are added to it.
    opening        numeric(40,0) NOT NULL,
    opening_height bigint        NOT NULL,
    opened_at      timestamptz   NOT NULL,
    -- The opening with the payments up to a height, below which blocks are final.
    carried        numeric(40,0) NOT NULL,
    carried_height bigint        NOT NULL,
    -- The payments above that height, and those that wait, at the last reading.
    moved          numeric(40,0) NOT NULL,
    -- The last reading, in the smallest unit.
    units          numeric(39,0) NOT NULL,
    read_at        timestamptz   NOT NULL,
    CONSTRAINT holdings_pkey PRIMARY KEY (chain, symbol, address),
    CONSTRAINT holdings_asset FOREIGN KEY (chain, symbol) REFERENCES assets (chain, symbol),
    CONSTRAINT holdings_units CHECK (units >= 0),
    CONSTRAINT holdings_carried CHECK (carried_height >= opening_height)
);
CREATE INDEX holdings_read_at ON holdings (chain, symbol, is_own, read_at);
CREATE INDEX holdings_not_empty ON holdings (chain, symbol, units) WHERE units <> 0 OR carried + moved <> 0;

-- An opening is read once: who could change it could hide what is missing.
CREATE FUNCTION keep_holdings() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION 'the opening of % stays as it was read', OLD.address
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'holdings_kept';
END
$$;
CREATE TRIGGER holdings_kept BEFORE UPDATE ON holdings FOR EACH ROW
    WHEN ((NEW.chain, NEW.symbol, NEW.address, NEW.is_own, NEW.opening, NEW.opening_height, NEW.opened_at)
        IS DISTINCT FROM (OLD.chain, OLD.symbol, OLD.address, OLD.is_own, OLD.opening, OLD.opening_height, OLD.opened_at))
    EXECUTE FUNCTION keep_holdings();
CREATE TRIGGER holdings_stay BEFORE DELETE OR TRUNCATE ON holdings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Extended public keys of platform methods, from which members get addresses of their own.
CREATE TABLE deposit_keys (
    id         bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT deposit_keys_pkey PRIMARY KEY,
    -- As domain/network.rs names it.
    chain      text        NOT NULL,
    -- The extended public key of an account in its plain form (xpub), however the method writes it.
    key        text        NOT NULL,
    -- Of the next address. Its row is locked while an address is derived, so that each index is used once.
    next_index integer     NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    CONSTRAINT deposit_keys_key UNIQUE (chain, key),
    CONSTRAINT deposit_keys_chain CHECK (chain IN ('bitcoin', 'ethereum', 'tron')),
    CONSTRAINT deposit_keys_index CHECK (next_index >= 0)
);

CREATE FUNCTION keep_deposit_keys() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF (NEW.id, NEW.chain, NEW.key, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.chain, OLD.key, OLD.created_at)
        OR NEW.next_index <> OLD.next_index + 1
    THEN
        RAISE EXCEPTION 'deposit key % stays, and its indexes are taken one by one', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'deposit_keys_kept';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER deposit_keys_kept BEFORE UPDATE ON deposit_keys FOR EACH ROW EXECUTE FUNCTION keep_deposit_keys();
CREATE TRIGGER deposit_keys_not_deleted BEFORE DELETE OR TRUNCATE ON deposit_keys
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What an address is derived from and whose it is never changes. Nothing is forgotten: it can be paid to for ever.
CREATE TABLE deposit_addresses (
    key_id     bigint      NOT NULL CONSTRAINT deposit_addresses_key REFERENCES deposit_keys (id),
    index      integer     NOT NULL,
    chain      text        NOT NULL,
    address    text        NOT NULL,
    user_id    uuid        NOT NULL,
    -- Bitcoin: the quote that it was derived for; unset for the address that a member has without a quote.
    quote_id   uuid,
    -- The one that the member is shown without a quote. On Bitcoin, another one follows when it was paid to.
    is_current boolean     NOT NULL,
    created_at timestamptz NOT NULL,
    -- When the first payment to it was seen.
    paid_at    timestamptz,
    -- When its balances were read last.
    read_at    timestamptz,
    CONSTRAINT deposit_addresses_pkey PRIMARY KEY (key_id, index),
    CONSTRAINT deposit_addresses_address UNIQUE (address),
    CONSTRAINT deposit_addresses_quote CHECK (quote_id IS NULL OR NOT is_current)
);
CREATE UNIQUE INDEX deposit_addresses_current ON deposit_addresses (key_id, user_id) WHERE is_current;
CREATE INDEX deposit_addresses_spelled ON deposit_addresses (address_key(address));
CREATE INDEX deposit_addresses_member ON deposit_addresses (user_id);
CREATE INDEX deposit_addresses_paid ON deposit_addresses (chain, read_at NULLS FIRST, key_id, index)
    WHERE paid_at IS NOT NULL;

CREATE FUNCTION keep_deposit_addresses() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF (NEW.key_id, NEW.index, NEW.chain, NEW.address, NEW.user_id, NEW.quote_id, NEW.created_at)
            IS DISTINCT FROM (OLD.key_id, OLD.index, OLD.chain, OLD.address, OLD.user_id, OLD.quote_id, OLD.created_at)
        OR NEW.is_current AND NOT OLD.is_current
        OR OLD.paid_at IS NOT NULL AND NEW.paid_at IS DISTINCT FROM OLD.paid_at
    THEN
        RAISE EXCEPTION 'deposit address % of key % stays as it was derived', OLD.index, OLD.key_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'deposit_addresses_kept';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER deposit_addresses_kept BEFORE UPDATE ON deposit_addresses
    FOR EACH ROW EXECUTE FUNCTION keep_deposit_addresses();
CREATE TRIGGER deposit_addresses_not_deleted BEFORE DELETE OR TRUNCATE ON deposit_addresses
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Signed transactions of payouts, so that one is sent again when the process or the node died before it was spread.
CREATE TABLE signed_payouts (
    txid    text        CONSTRAINT signed_payouts_pkey PRIMARY KEY,
    -- As the network takes it.
    raw     bytea       NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT signed_payouts_txid CHECK (txid ~ '^[0-9a-f]{64}$'),
    CONSTRAINT signed_payouts_raw CHECK (length(raw) BETWEEN 1 AND 400000)
);
CREATE INDEX signed_payouts_kept_at ON signed_payouts (kept_at);

-- What the payments that are known to be consumed come to, so that wallet can compare it with its own sums every minute.
CREATE TABLE consumed_totals (
    chain    text          NOT NULL,
    symbol   text          NOT NULL,
    way      text          NOT NULL,
    payments bigint        NOT NULL,
    -- In the smallest unit.
    units    numeric(48,0) NOT NULL,
    CONSTRAINT consumed_totals_pkey PRIMARY KEY (chain, symbol, way)
);

-- The only way to change them: the service's role cannot.
CREATE FUNCTION count_consumed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    sign integer := CASE WHEN NEW.is_consumed THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO consumed_totals AS total (chain, symbol, way, payments, units)
    VALUES (NEW.chain, NEW.symbol, NEW.way, sign, sign * NEW.units)
    ON CONFLICT ON CONSTRAINT consumed_totals_pkey
        DO UPDATE SET payments = total.payments + sign, units = total.units + sign * NEW.units;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION count_consumed FROM PUBLIC;
CREATE TRIGGER chain_payments_counted AFTER INSERT ON chain_payments FOR EACH ROW WHEN (NEW.is_consumed)
    EXECUTE FUNCTION count_consumed();
CREATE TRIGGER chain_payments_recounted AFTER UPDATE ON chain_payments FOR EACH ROW
    WHEN (NEW.is_consumed IS DISTINCT FROM OLD.is_consumed) EXECUTE FUNCTION count_consumed();

-- Addresses of the treasury's own wallet at which change arrived: they belong to the platform, like those of its methods.
CREATE TABLE treasury_addresses (
    address  text        NOT NULL CONSTRAINT treasury_addresses_pkey PRIMARY KEY,
    -- As people write it: `Bitcoin`.
    network  text        NOT NULL,
    found_at timestamptz NOT NULL
);

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        REVOKE ALL ON method_versions, method_signatures, address_proofs, assets, rate_points, rate_polls, quotes,
            chain_payments, chain_cursors, holdings, deposit_keys, deposit_addresses, consumed_totals,
            treasury_addresses FROM payment_method;
        -- Those of members go with the rest of their personal data; triggers keep those of the platform.
        GRANT SELECT, INSERT, DELETE ON method_versions TO payment_method;
        GRANT SELECT, INSERT ON method_signatures, address_proofs, treasury_addresses TO payment_method;
        GRANT SELECT ON assets, consumed_totals TO payment_method;
        GRANT SELECT, INSERT, DELETE ON rate_points, quotes TO payment_method;
        GRANT SELECT, UPDATE ON rate_polls, chain_cursors TO payment_method;
        GRANT SELECT, INSERT, UPDATE ON chain_payments, holdings TO payment_method;
        GRANT SELECT, INSERT, UPDATE (next_index) ON deposit_keys TO payment_method;
        GRANT SELECT, INSERT, UPDATE (is_current, paid_at, read_at) ON deposit_addresses TO payment_method;
    END IF;
END $$;
