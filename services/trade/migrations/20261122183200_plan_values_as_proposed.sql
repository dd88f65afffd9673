-- The service's own role publishes a value only as two people proposed and confirmed it.
CREATE FUNCTION refuse_unproposed_value() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM proposals WHERE id = NEW.proposal_id AND status = 'confirmed') THEN
        RAISE EXCEPTION 'a value is published as two people proposed and confirmed'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'plan_values_as_proposed';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER plan_values_as_proposed BEFORE INSERT ON plan_values FOR EACH ROW
    WHEN (current_user = 'trade') EXECUTE FUNCTION refuse_unproposed_value();
