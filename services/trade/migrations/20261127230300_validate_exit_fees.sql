ALTER TABLE plans VALIDATE CONSTRAINT plans_costs, VALIDATE CONSTRAINT plans_risk_class, VALIDATE CONSTRAINT plans_exit_fee;
ALTER TABLE trades VALIDATE CONSTRAINT trades_exit_fee, VALIDATE CONSTRAINT trades_claim_pays_a_gain,
    VALIDATE CONSTRAINT trades_close_pays_no_gain;
