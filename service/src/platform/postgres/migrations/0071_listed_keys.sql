-- compatible_from: 0037
-- Which document type every issue of a trust list has named for a key, also where the list was not granted that type or the entry had
-- ended. A key that was named for another type does not sign one type alone. An earlier release neither writes nor reads them;
-- keys_sha256 is the issue whose keys were written, so that the marks of sole types wait for the keys of an issue that it loaded.
create table listed_keys (
  list_id text not null references trust_lists (id) on delete cascade,
  public_key_sha256 bytea not null,
  -- null: several, or one with too long a name
  doc_type text,
  named_at timestamptz not null,
  primary key (list_id, public_key_sha256)
);
create index listed_keys_by_age on listed_keys (list_id, named_at);
alter table listed_keys alter column public_key_sha256 set statistics 0, alter column doc_type set statistics 0;
alter table trust_lists add column keys_sha256 bytea;
alter table trust_lists alter column keys_sha256 set statistics 0;
