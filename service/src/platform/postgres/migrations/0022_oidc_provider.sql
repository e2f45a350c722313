-- Each realm that has a client is an OpenID provider. (oidc_identities and oidc_rounds are of staff who sign in elsewhere.)
create table oidc_clients (
  id               text primary key,
  tenant_id        text not null references tenants (id),
  environment      text not null check (environment in ('test', 'live')),
  name             text not null,
  auth_method      text not null check (auth_method in ('client_secret', 'private_key_jwt', 'none')),
  -- The client's public keys, a JWK set as JSON; for private_key_jwt alone.
  jwks             text,
  -- Compared byte for byte.
  redirect_uris    text[] not null check (cardinality(redirect_uris) > 0),
  -- Keys of the templates it may ask for.
  templates        text[] not null check (cardinality(templates) > 0),
  default_template text,
  subject_mode     text not null check (subject_mode in ('ephemeral', 'claim', 'derived')),
  subject_claims   text[] not null,
  -- A claim that is false ends the sign-in.
  require_true     boolean not null,
  vp_data          boolean not null,
  verified_claims  boolean not null,
  id_token_alg     text not null check (id_token_alg in ('ES256', 'RS256')),
  -- How long a browser that has answered need not answer again; 0: it answers each time.
  remember_minutes integer not null check (remember_minutes between 0 and 60),
  created_at       timestamptz not null,
  check ((jwks is not null) = (auth_method = 'private_key_jwt')),
  check (default_template is null or default_template = any (templates)),
  check ((subject_mode = 'ephemeral') = (cardinality(subject_claims) = 0))
);
create index oidc_clients_by_realm on oidc_clients (tenant_id, environment);

create table oidc_client_secrets (
  hash        bytea primary key check (octet_length(hash) = 32),
  client_id   text not null references oidc_clients (id) on delete cascade,
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  created_at  timestamptz not null,
  -- null: the newest.
  expires_at  timestamptz
);
create index oidc_client_secrets_by_client on oidc_client_secrets (client_id);

-- What tokens are signed with. Published as soon as it is here; signs from its time on, until a younger one does.
create table oidc_keys (
  id          text primary key,
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  alg         text not null check (alg in ('ES256', 'RS256')),
  -- JSON.
  public_jwk  text not null,
  private_key bytea not null,
  created_at  timestamptz not null,
  signs_from  timestamptz not null
);
create index oidc_keys_by_realm on oidc_keys (tenant_id, environment);

-- A sign-in under way: from the request until its access token has ended. It goes with its verification.
create table oidc_authorizations (
  id               text primary key,
  tenant_id        text not null references tenants (id),
  environment      text not null check (environment in ('test', 'live')),
  client_id        text not null references oidc_clients (id) on delete cascade,
  verification_id  text not null references verifications (id) on delete cascade,
  -- Of the cookie that the browser which began holds.
  browser_hash     bytea not null check (octet_length(browser_hash) = 32),
  -- What the client asked, sealed: its state and nonce are its own business.
  request          bytea not null,
  created_at       timestamptz not null,
  -- When it may be forgotten, as things stand.
  ends_at          timestamptz not null,
  code_hash        bytea unique check (octet_length(code_hash) = 32),
  code_expires_at  timestamptz,
  code_used_at     timestamptz,
  -- The code came a second time.
  revoked_at       timestamptz,
  token_hash       bytea unique check (octet_length(token_hash) = 32),
  token_expires_at timestamptz,
  -- Encrypted to the access token, of which only the hash is here: nobody else can read it.
  userinfo         bytea
);
create index oidc_authorizations_by_verification on oidc_authorizations (verification_id);
create index oidc_authorizations_by_client on oidc_authorizations (client_id);
create index oidc_authorizations_by_end on oidc_authorizations (ends_at);

-- Assertions that clients have authenticated with: each once, until it would have ended anyway.
create table oidc_assertions (
  client_id   text not null references oidc_clients (id) on delete cascade,
  hash        bytea not null check (octet_length(hash) = 32),
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  expires_at  timestamptz not null,
  primary key (client_id, hash)
);
create index oidc_assertions_by_end on oidc_assertions (expires_at);

-- Under which name a caller of the Universal OID4VP API knows a verification.
create table oid4vp_requests (
  tenant_id       text not null references tenants (id),
  environment     text not null check (environment in ('test', 'live')),
  -- A keyed digest: what a merchant writes may say something of somebody.
  correlation     bytea not null check (octet_length(correlation) = 32),
  verification_id text not null references verifications (id) on delete cascade,
  primary key (tenant_id, environment, correlation)
);
create index oid4vp_requests_by_verification on oid4vp_requests (verification_id);

alter table verifications
  drop constraint verifications_actor_type_check,
  add constraint verifications_actor_type_check check (actor_type in ('api_key', 'device', 'user', 'oidc_client'));
