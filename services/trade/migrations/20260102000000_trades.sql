-- Plans, their published values, and the trades of members in them.

CREATE TABLE plans (
    id               uuid        NOT NULL CONSTRAINT plans_pkey PRIMARY KEY,
    -- Counts up with every change.
    version          integer     NOT NULL,
    title            text        NOT NULL,
    subtitle         text        NOT NULL,
    min_cents        bigint      NOT NULL,
    max_cents        bigint      NOT NULL,
    -- A target over the whole duration, in hundredths of a percent.
    roi_basis_points integer     NOT NULL,
    duration_days    integer     NOT NULL,
    active           boolean     NOT NULL,
    created_at       timestamptz NOT NULL,
    CONSTRAINT plans_version CHECK (version > 0),
    CONSTRAINT plans_range CHECK (0 < min_cents AND min_cents <= max_cents),
    CONSTRAINT plans_roi CHECK (roi_basis_points >= 0),
    CONSTRAINT plans_duration CHECK (duration_days > 0)
);

-- The value of a plan from a moment on, in millionths. History is never changed: members' money was decided by it.
CREATE TABLE plan_values (
    plan_id      uuid        NOT NULL CONSTRAINT plan_values_plan REFERENCES plans (id),
    at           timestamptz NOT NULL,
    value_micros bigint      NOT NULL,
    source       text        NOT NULL,
    proposal_id  uuid        NOT NULL CONSTRAINT plan_values_proposal REFERENCES proposals (id),
    CONSTRAINT plan_values_pkey PRIMARY KEY (plan_id, at),
    CONSTRAINT plan_values_proposal_key UNIQUE (proposal_id),
    CONSTRAINT plan_values_positive CHECK (value_micros > 0)
);

CREATE FUNCTION plan_values_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- One publication of a plan at a time, or two could pass each other.
    PERFORM FROM plans WHERE id = NEW.plan_id FOR UPDATE;
    IF NEW.at > clock_timestamp()
        OR EXISTS (SELECT FROM plan_values WHERE plan_id = NEW.plan_id AND at >= NEW.at)
    THEN
        RAISE EXCEPTION 'a value must be newer than the newest one and not in the future'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'plan_values_in_order';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER plan_values_in_order BEFORE INSERT ON plan_values
    FOR EACH ROW EXECUTE FUNCTION plan_values_in_order();
CREATE TRIGGER plan_values_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON plan_values
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE trades (
    id                   uuid        NOT NULL CONSTRAINT trades_pkey PRIMARY KEY,
    user_id              uuid        NOT NULL,
    plan_id              uuid        NOT NULL CONSTRAINT trades_plan REFERENCES plans (id),
    -- The plan's terms and value when the member invested.
    plan_title           text        NOT NULL,
    plan_min_cents       bigint      NOT NULL,
    plan_max_cents       bigint      NOT NULL,
    roi_basis_points     integer     NOT NULL,
    duration_days        integer     NOT NULL,
    amount_cents         bigint      NOT NULL,
    opening_value_micros bigint      NOT NULL,
    status               text        NOT NULL,
    -- How it ends and what is paid, frozen before the wallet is asked to pay.
    settle_kind          text,
    settle_value_cents   bigint,
    created_at           timestamptz NOT NULL,
    matures_at           timestamptz NOT NULL,
    ended_at             timestamptz,
    -- What the wallet said to a trade that failed.
    refusal              jsonb,
    -- How often the saga was taken up again.
    attempt              integer     NOT NULL DEFAULT 0,
    -- When it is taken up again.
    resume_at            timestamptz,
    CONSTRAINT trades_status CHECK (status IN ('opening', 'open', 'settling', 'claimed', 'closed', 'failed')),
    CONSTRAINT trades_amount CHECK (amount_cents BETWEEN plan_min_cents AND plan_max_cents AND amount_cents > 0),
    CONSTRAINT trades_opening_value CHECK (opening_value_micros > 0),
    CONSTRAINT trades_settle_kind CHECK (settle_kind IN ('claim', 'close')),
    CONSTRAINT trades_settlement CHECK (
        (status IN ('settling', 'claimed', 'closed')) = (settle_kind IS NOT NULL)
        AND (settle_kind IS NULL) = (settle_value_cents IS NULL)),
    CONSTRAINT trades_claim_pays_a_gain CHECK (settle_kind <> 'claim' OR settle_value_cents > amount_cents),
    CONSTRAINT trades_close_pays_no_gain CHECK (settle_kind <> 'close' OR settle_value_cents BETWEEN 0 AND amount_cents),
    CONSTRAINT trades_end CHECK ((status IN ('claimed', 'closed')) = (ended_at IS NOT NULL)),
    CONSTRAINT trades_refusal CHECK ((status = 'failed') = (refusal IS NOT NULL)),
    CONSTRAINT trades_resume CHECK ((status IN ('opening', 'settling')) = (resume_at IS NOT NULL))
);
CREATE INDEX trades_user ON trades (user_id, created_at DESC, id DESC);
CREATE INDEX trades_due ON trades (resume_at) WHERE resume_at IS NOT NULL;

-- The terms of a trade, what was decided, and what it ended as stay what they are.
CREATE FUNCTION trades_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.id, OLD.user_id, OLD.plan_id, OLD.plan_title, OLD.plan_min_cents, OLD.plan_max_cents, OLD.roi_basis_points,
        OLD.duration_days, OLD.amount_cents, OLD.opening_value_micros, OLD.created_at, OLD.matures_at)
        IS DISTINCT FROM
       (NEW.id, NEW.user_id, NEW.plan_id, NEW.plan_title, NEW.plan_min_cents, NEW.plan_max_cents, NEW.roi_basis_points,
        NEW.duration_days, NEW.amount_cents, NEW.opening_value_micros, NEW.created_at, NEW.matures_at)
        OR (OLD.settle_kind IS NOT NULL AND (OLD.settle_kind, OLD.settle_value_cents)
            IS DISTINCT FROM (NEW.settle_kind, NEW.settle_value_cents))
        OR (OLD.status, NEW.status) NOT IN (
            ('opening', 'opening'), ('opening', 'open'), ('opening', 'failed'), ('open', 'open'), ('open', 'settling'),
            ('settling', 'settling'), ('settling', 'claimed'), ('settling', 'closed'))
        OR (NEW.status = 'claimed' AND NEW.settle_kind <> 'claim') OR (NEW.status = 'closed' AND NEW.settle_kind <> 'close')
    THEN
        RAISE EXCEPTION 'a trade cannot change from % to %', OLD, NEW
            USING ERRCODE = 'check_violation', CONSTRAINT = 'trades_transition';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER trades_transition BEFORE UPDATE ON trades FOR EACH ROW EXECUTE FUNCTION trades_transition();
CREATE TRIGGER trades_kept BEFORE DELETE OR TRUNCATE ON trades FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'trade') THEN
        GRANT SELECT, INSERT, UPDATE ON plans, trades TO trade;
        GRANT SELECT, INSERT ON plan_values TO trade;
        REVOKE DELETE, TRUNCATE ON plans, trades FROM trade;
        REVOKE UPDATE, DELETE, TRUNCATE ON plan_values, audit_rows FROM trade;
    END IF;
END
$$;
