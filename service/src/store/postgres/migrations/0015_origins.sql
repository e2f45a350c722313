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
