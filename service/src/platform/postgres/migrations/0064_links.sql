-- compatible_from: 0037
-- Links that make a verification when a person opens them. The store has the hash of the secret in the address; the request (with
-- the merchant's metadata and addresses) is sealed. An opening is kept until its verification has ended and is counted.
create table links (
  id             text primary key check (id ~ '^lnk_[0-9A-Za-z]{24}$'),
  tenant_id      text not null references tenants (id),
  environment    text not null check (environment in ('test', 'live')),
  key_id         text not null,
  secret_hash    bytea not null unique check (octet_length(secret_hash) = 32),
  request        bytea not null,
  created_at     timestamptz not null,
  starts_at      timestamptz not null,
  ends_at        timestamptz not null check (ends_at > starts_at),
  uses           integer check (uses >= 1),
  opened         integer not null default 0 check (opened >= 0 and (uses is null or opened <= uses)),
  completed      integer not null default 0,
  last_opened_at timestamptz,
  revoked_at     timestamptz,
  unique (tenant_id, environment, created_at)
);
create index links_by_end on links (ends_at);
create table link_openings (
  verification_id text primary key,
  link_id         text not null references links (id),
  tenant_id       text not null references tenants (id),
  environment     text not null check (environment in ('test', 'live')),
  opened_at       timestamptz not null
);
create index link_openings_by_link on link_openings (link_id);
create index link_openings_by_time on link_openings (opened_at);
alter table links
  alter column secret_hash set statistics 0,
  alter column request set statistics 0;
alter table link_openings
  alter column link_id set statistics 0;
