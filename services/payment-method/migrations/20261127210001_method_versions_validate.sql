SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);
ALTER TABLE method_versions VALIDATE CONSTRAINT method_versions_address;
