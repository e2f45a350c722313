-- compatible_from: 0037
-- Requests that OpenID clients push before they send a browser (RFC 9126), sealed, for a minute and a half. A client may have keys to sign
-- requests with, however it authenticates, and addresses that signed requests may be fetched from.
create table oidc_pushed_requests (
  -- The hash of the secret in its address, in hex.
  id          text primary key check (id ~ '^[0-9a-f]{64}$'),
  client_id   text not null references oidc_clients (id) on delete cascade,
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  request     bytea not null,
  expires_at  timestamptz not null
);
create index oidc_pushed_requests_by_client on oidc_pushed_requests (client_id);
create index oidc_pushed_requests_by_tenant on oidc_pushed_requests (tenant_id, expires_at);
create index oidc_pushed_requests_by_end on oidc_pushed_requests (expires_at);
alter table oidc_pushed_requests
  alter column id set statistics 0,
  alter column request set statistics 0;
alter table oidc_clients
  add column request_uris text[] not null default '{}',
  drop constraint oidc_clients_check,
  add constraint oidc_clients_jwks_check check (jwks is not null or auth_method <> 'private_key_jwt') not valid;
