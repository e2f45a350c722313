-- Venue devices, their pairing codes and tokens.

create table devices (
  id                 uuid primary key,
  tenant_id          text not null references tenants (id),
  environment        text not null check (environment in ('test', 'live')),
  name               text not null check (char_length(name) between 1 and 64),
  allowed_templates  text[] not null check (cardinality(allowed_templates) between 1 and 20),
  status             text not null check (status in ('pending', 'active', 'revoked')),
  created_at         timestamptz not null,
  -- HMAC under a pepper that is not in the store: forty bits would not survive a bare hash. Gone once claimed or revoked.
  pairing_code_hash  bytea unique check (octet_length(pairing_code_hash) = 32),
  pairing_expires_at timestamptz not null,
  enrolled_at        timestamptz,
  last_seen_at       timestamptz,
  revoked_at         timestamptz,
  revoked_reason     text check (revoked_reason in ('merchant', 'refresh_reuse')),
  check ((status = 'pending') = (pairing_code_hash is not null)),
  check (status <> 'active' or enrolled_at is not null),
  check ((status = 'revoked') = (revoked_at is not null)),
  check ((status = 'revoked') = (revoked_reason is not null)),
  -- Newest first is an order without ties.
  unique (tenant_id, environment, created_at)
);

-- One row a token pair. Spent rows stay: only a hash that is found spent proves that a refresh token was stolen.
create table device_token_pairs (
  refresh_hash       bytea primary key check (octet_length(refresh_hash) = 32),
  access_hash        bytea not null unique check (octet_length(access_hash) = 32),
  tenant_id          text not null,
  environment        text not null,
  device_id          uuid not null references devices (id),
  issued_at          timestamptz not null,
  access_expires_at  timestamptz not null,
  refresh_expires_at timestamptz not null,
  spent_at           timestamptz
);
create index device_token_pairs_by_expiry on device_token_pairs (refresh_expires_at);
