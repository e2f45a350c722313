-- Who is registered as a relying party: tenants by environment, and the operator itself, whose row has no tenant.
create table registered_identities (
  tenant_id       text references tenants (id),
  environment     text not null check (environment in ('test', 'live')),
  -- As the register spells it.
  identifier      text not null check (char_length(identifier) between 1 and 200),
  trade_name      text not null check (char_length(trade_name) between 1 and 200),
  registry_uri    text check (char_length(registry_uri) <= 500),
  -- Of the operator: it acts for others.
  is_intermediary boolean not null,
  changed_at      timestamptz not null,
  constraint registered_identities_key unique nulls not distinct (tenant_id, environment),
  check (tenant_id is null or not is_intermediary)
);

-- Registration certificates: what a tenant may ask for, and why, in its registrar's words. Public documents, shown to every wallet.
create table registration_certificates (
  id           text primary key,
  tenant_id    text not null references tenants (id),
  environment  text not null check (environment in ('test', 'live')),
  -- What creations and templates name it by.
  intended_use text not null check (char_length(intended_use) between 1 and 200),
  -- The compact JWS as it is sent, and what was read from it; its SHA-256.
  jwt          text not null,
  content      json not null,
  hash         text not null check (char_length(hash) = 64),
  -- null: a trusted provider signed it.
  unverified   text,
  status       text not null check (status in ('none', 'valid', 'revoked', 'suspended', 'invalid', 'unknown')),
  checked_at   timestamptz not null,
  created_at   timestamptz not null,
  -- Kept for a while after: verifications that are under way were asked with it.
  removed_at   timestamptz
);
create index registration_certificates_of_realm on registration_certificates (tenant_id, environment);
create unique index registration_certificates_current on registration_certificates (tenant_id, environment, hash)
  where removed_at is null;

-- Under which one a verification was asked; null: under none.
alter table verifications add column registration_id text;

-- The intended use that a tenant's template is asked under; null: none is named.
alter table templates add column intended_use text check (char_length(intended_use) between 1 and 200);

-- For which of the tenant's services a certificate was made out; null: for all.
alter table access_keys add column service_id text check (char_length(service_id) between 1 and 200);
alter table access_keys add check (service_id is null or tenant_id is not null);
drop index access_keys_current;
create unique index access_keys_current on access_keys (coalesce(tenant_id, ''), environment, purpose, coalesce(service_id, ''))
  where installed_at is not null and retired_at is null;
