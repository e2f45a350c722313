-- How a realm's hosted page looks. Nothing here is secret: whoever is asked sees it.
create table tenant_branding (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  -- null: the tenant's own name.
  shown_name  text,
  colour      text check (colour ~ '^#[0-9a-f]{6}$'),
  support_url text,
  privacy_url text,
  -- As it was written anew from what was checked, never as it was handed in.
  logo        bytea check (octet_length(logo) <= 131072),
  logo_type   text check (logo_type in ('image/svg+xml', 'image/png')),
  logo_hash   text,
  changed_at  timestamptz not null,
  primary key (tenant_id, environment),
  check ((logo is null) = (logo_type is null) and (logo is null) = (logo_hash is null))
);
