-- Access certificates, trust anchors, trust lists and the sandbox issuer.

-- The private authority behind generated access certificates, one for each environment. Its certificate is for wallets
-- that are to trust it; it never stands in a request.
create table access_authorities (
  environment text primary key check (environment in ('test', 'live')),
  certificate bytea not null,
  -- Sealed.
  private_key bytea not null,
  created_at  timestamptz not null
);

-- What request objects are signed with. Rows without a tenant are the service's own, used by every tenant without one.
create table access_keys (
  id           text primary key,
  tenant_id    text references tenants (id),
  environment  text not null check (environment in ('test', 'live')),
  origin       text not null check (origin in ('generated', 'installed')),
  -- Sealed.
  private_key  bytea not null,
  -- DER, leaf first, without the anchor; empty while the key waits for its certificate.
  chain        bytea[] not null,
  created_at   timestamptz not null,
  installed_at timestamptz,
  retired_at   timestamptz,
  check ((installed_at is null) = (cardinality(chain) = 0)),
  check (retired_at is null or installed_at is not null)
);
create unique index access_keys_current on access_keys (coalesce(tenant_id, ''), environment)
  where installed_at is not null and retired_at is null;

-- Published lists that anchors come from, and how fresh they are.
create table trust_lists (
  id             text primary key,
  tenant_id      text references tenants (id),
  environment    text not null check (environment in ('test', 'live')),
  kind           text not null check (kind in ('vical', 'lote')),
  -- An http(s) address that is read again and again, or the name of a file that was read once.
  source         text not null,
  -- Whose signature the list must bear; null only for a file that the operator vouches for.
  signer         bytea,
  -- Credential types for entries that name none.
  types          text[] not null,
  created_at     timestamptz not null,
  issuer         text,
  sequence       bigint,
  issued_at      timestamptz,
  next_update_at timestamptz,
  loaded_at      timestamptz,
  attempted_at   timestamptz,
  -- Why the last attempt failed; what was loaded before stands until next_update_at.
  failure        text
);

create table anchors (
  id          text primary key,
  -- Rows without a tenant are the operator's and hold for every tenant.
  tenant_id   text references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  kind        text not null check (kind in ('ca', 'pinned')),
  profile     text not null check (profile in ('iso-mdl', 'generic')),
  types       text[] not null check (cardinality(types) > 0),
  certificate bytea not null,
  list_id     text references trust_lists (id) on delete cascade,
  created_at  timestamptz not null,
  -- A pinned signer bypasses its authority: for tests only.
  check (kind = 'ca' or environment = 'test')
);
create index anchors_by_place on anchors (environment, tenant_id);

-- The sandbox issuer's keys and certificates, sealed as one.
create table sandbox_issuers (
  name       text primary key,
  sealed     bytea not null,
  created_at timestamptz not null
);
