-- What the last look at the register found, for each realm and for the operator itself, whose row has no tenant.
create table register_looks (
  tenant_id   text references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  looked_at   timestamptz not null,
  outcome     text not null check (outcome in ('same', 'drift', 'failed')),
  -- Codes and words for the operator: [{code, detail}]. Nothing of it is personal.
  findings    json not null,
  constraint register_looks_key unique nulls not distinct (tenant_id, environment)
);

-- Keys that the operator pinned for a register which no list vouches for: RFC 7638 thumbprints (SHA-256, base64url).
create table register_keys (
  registry_uri text not null check (char_length(registry_uri) between 1 and 500),
  environment  text not null check (environment in ('test', 'live')),
  thumbprint   text not null check (thumbprint ~ '^[A-Za-z0-9_-]{43}$'),
  pinned_at    timestamptz not null,
  primary key (registry_uri, environment, thumbprint)
);
