-- compatible_from: 0037
-- Which rules a client is held to: OpenID Connect, or the FAPI 2.0 Security Profile.
alter table oidc_clients
  add column profile text not null default 'openid'
    constraint oidc_clients_profile_check check (profile in ('openid', 'fapi2'));
