-- The pages and apps that a tenant's verifications may be asked on through the Digital Credentials API.
create table tenant_origins (
  id          text primary key,
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  -- As browsers write it: wallets compare the text.
  origin      text not null,
  kind        text not null check (kind in ('web', 'local', 'app')),
  -- What the page's host must show; no secret.
  token       text not null,
  -- null: not proven, or no longer.
  proven_at   timestamptz,
  checked_at  timestamptz,
  created_at  timestamptz not null,
  unique (tenant_id, environment, origin),
  check (kind <> 'local' or environment = 'test')
);

-- What a verification was offered as through that API: signed once, the same to the byte until it ends. It goes with the verification.
create table dc_api_offers (
  verification_id text primary key references verifications (id) on delete cascade,
  tenant_id       text not null references tenants (id),
  environment     text not null check (environment in ('test', 'live')),
  -- The answer to GET, as it is sent; JSON.
  requests        text not null,
  -- Public point, and the private scalar sealed: one key for JWE (null: asked for in clear), another for HPKE (null: no Annex C).
  jwe_key         bytea,
  hpke_key        bytea,
  -- As it was sent: the transcript is over the text.
  encryption_info text,
  made_at         timestamptz not null,
  check ((hpke_key is null) = (encryption_info is null))
);

-- What tests may loosen; live ignores both.
alter table tenants add column dc_api_unsigned_in_test boolean not null default false,
  add column dc_api_clear_in_test boolean not null default false;
