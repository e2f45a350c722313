-- What a tenant's owners may make the service do for whom they trust is bounded.

-- Whether an owner imported it, within the owners' bounds. Of lists from before it is not known who did: those of a tenant count as
-- its owners'.
alter table trust_lists add column by_owner boolean not null default false;
update trust_lists set by_owner = true where tenant_id is not null;
alter table trust_lists alter column by_owner drop default;
alter table trust_lists add constraint trust_lists_owned check (tenant_id is not null or not by_owner);

-- What an anchor's certificate says of itself, so that nobody parses all of them to show or to compare some: SHA-256 of the public
-- key, the subject, and the end. All null: it was added before this was noted, until the job that reads lists again has filled it in.
alter table anchors add column key_sha256 bytea;
alter table anchors add column subject text;
alter table anchors add column valid_until timestamptz;
create index anchors_by_key on anchors (environment, key_sha256);
update jobs set ran_at = null where name = 'refresh-trust-lists';
