-- compatible_from: 0037
-- Whether a client's ID tokens have all claims, for programs that do not call userinfo. Clients from before, and those that a release
-- from before creates, got them so: true. This release says it for each client that it creates.
alter table oidc_clients add column claims_in_id_token boolean not null default true;
