-- compatible_from: 0037
-- Sign-ins that are begun and not answered are counted for their client and for the network they were begun from: a keyed hash, deleted
-- with the sign-in some minutes later. Rows of the release before have none and count for their client alone. Hashes say nothing to a
-- planner, so no statistics are kept of them.
alter table oidc_authorizations add column network_hash bytea check (octet_length(network_hash) = 32);
alter table oidc_authorizations alter column network_hash set statistics 0;
create index oidc_authorizations_open on oidc_authorizations (client_id, created_at) include (network_hash, tenant_id, environment) where code_hash is null;
