ALTER TABLE codes VALIDATE CONSTRAINT codes_request_attempts;
