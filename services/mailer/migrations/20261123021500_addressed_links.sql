-- A notice to a certain address may hold a link.
ALTER TABLE mails DROP CONSTRAINT mails_one_address;
