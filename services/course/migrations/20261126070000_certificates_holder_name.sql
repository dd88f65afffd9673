-- A certificate states the name that its member had when it was issued. Of older ones that name is not known.
ALTER TABLE certificates ADD COLUMN holder_name text;
ALTER TABLE certificates
    ADD CONSTRAINT certificates_holder_name CHECK (char_length(holder_name) BETWEEN 1 AND 100) NOT VALID;
