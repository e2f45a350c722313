-- compatible_from: 0037
-- How many sign-ins began at each OpenID client on the last day with any. Strangers begin them, and each leaves audit entries, a receipt
-- and a leaf of the public log for ever. An earlier release neither writes nor reads them.
create table oidc_begun_days (
  tenant_id text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  client_id text not null,
  day date not null,
  begun integer not null check (begun > 0),
  primary key (tenant_id, client_id),
  foreign key (tenant_id, client_id) references oidc_clients (tenant_id, id) on delete cascade
);
