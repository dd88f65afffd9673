-- Whether the owner gives up the bonus by closing the account.
ALTER TABLE account_closures ADD COLUMN gives_up_bonus boolean NOT NULL DEFAULT false;
