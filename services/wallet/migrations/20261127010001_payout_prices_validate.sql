ALTER TABLE transactions VALIDATE CONSTRAINT transactions_payout;
