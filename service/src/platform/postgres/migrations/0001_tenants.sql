-- Tenants, their API keys, their daily usage and their audit chains.

create table tenants (
  id          text primary key,
  name        text not null check (char_length(name) between 1 and 100),
  plan        text not null check (plan in ('free', 'starter', 'business', 'enterprise')),
  daily_quota integer check (daily_quota >= 0),
  created_at  timestamptz not null
);

create table api_keys (
  id           text primary key,
  tenant_id    text not null references tenants (id),
  environment  text not null check (environment in ('test', 'live')),
  name         text not null,
  hash         bytea not null unique check (octet_length(hash) = 32),
  prefix       text not null check (char_length(prefix) = 12),
  scopes       text[] not null,
  created_at   timestamptz not null,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz
);
create index api_keys_by_tenant on api_keys (tenant_id, created_at);

-- One row a tenant and UTC day. The quota is the tenant's, so both environments count on one row.
create table usage_days (
  tenant_id text not null references tenants (id),
  day       date not null,
  created   integer not null check (created >= 0),
  primary key (tenant_id, day)
);

-- The newest entry of each chain: locked by whoever appends, as the last step before commit.
create table audit_heads (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  seq         bigint not null,
  hash        bytea not null,
  at          timestamptz not null,
  primary key (tenant_id, environment)
);

create table audit_entries (
  tenant_id   text not null,
  environment text not null,
  seq         bigint not null,
  object_id   text not null,
  bytes       bytea not null,
  hash        bytea not null,
  primary key (tenant_id, environment, seq)
);
create index audit_entries_by_object on audit_entries (tenant_id, environment, object_id);

-- What an entry commits to, erasable together with its salt.
create table audit_details (
  tenant_id   text not null,
  environment text not null,
  seq         bigint not null,
  object_id   text not null,
  salt        bytea not null,
  details     jsonb not null,
  primary key (tenant_id, environment, seq)
);
create index audit_details_by_object on audit_details (tenant_id, environment, object_id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit chain is append-only';
end
$$;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function refuse_audit_change();
create trigger audit_entries_no_truncate before truncate on audit_entries
  for each statement execute function refuse_audit_change();
