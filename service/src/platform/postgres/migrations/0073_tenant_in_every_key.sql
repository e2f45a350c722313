-- compatible_from: 0072
-- Keys of a tenant's rows begin with the tenant, so that the tables can be split by it. What strangers present (hashes of keys, tokens
-- and links) is looked up without a tenant: those columns have plain indexes, and the code refuses a value that two rows have.
-- The release before serves meanwhile: indexes are built beside its statements, and each step locks one or two tables for a moment.
-- It infers two of the old keys in its `on conflict`: api_key_days (key_id, day) and devices (pairing_code_hash). They stay for this
-- release, as do plain indexes for its look-ups by the id alone, of devices and oidc_authorizations. One of api_keys is for the batch that
-- notes their uses: of indexes that begin with the tenant, PostgreSQL 15 takes one that reads all keys of it.
-- Tables with rows of the operator, whose tenant is null (access_keys, anchors, trust_lists, mails), keep their keys.

create or replace function pg_temp.replace_primary_key(of_table text) returns void language plpgsql as $$
begin
  if exists (select from pg_constraint where conrelid = of_table::regclass and conname = of_table || '_pkey') then
    execute format('alter table %I drop constraint %I, add constraint %I primary key using index %I', of_table,
      of_table || '_pkey', of_table || '_tenant_pkey', of_table || '_tenant_pkey');
  end if;
end $$;

create or replace function pg_temp.add_reference(of_table text, column_name text, target text, on_delete text) returns void
language plpgsql as $$
begin
  if not exists (select from pg_constraint where conrelid = of_table::regclass
                 and conname = format('%s_tenant_id_%s_fkey', of_table, column_name)) then
    execute format('alter table %I add constraint %I foreign key (tenant_id, %I) references %I (tenant_id, id) %s not valid', of_table,
      format('%s_tenant_id_%s_fkey', of_table, column_name), column_name, target, on_delete);
  end if;
end $$;

create unique index concurrently if not exists api_keys_hash_of_tenant on api_keys (tenant_id, hash);

create unique index concurrently if not exists device_token_pairs_access_hash_of_tenant on device_token_pairs (tenant_id, access_hash);

create unique index concurrently if not exists devices_pairing_code_of_tenant on devices (tenant_id, pairing_code_hash);

create unique index concurrently if not exists links_secret_of_tenant on links (tenant_id, secret_hash);

create unique index concurrently if not exists oidc_authorizations_code_of_tenant on oidc_authorizations (tenant_id, code_hash);

create unique index concurrently if not exists oidc_authorizations_token_of_tenant on oidc_authorizations (tenant_id, token_hash);

create unique index concurrently if not exists usage_alerts_told_id_of_tenant on usage_alerts_told (tenant_id, id);

create unique index concurrently if not exists devices_display_code_of_tenant on devices (tenant_id, display_code) where display_code is not null;

-- The release before infers it.
create unique index concurrently if not exists api_key_days_of_release_before on api_key_days (key_id, day);

create index concurrently if not exists api_keys_by_hash on api_keys (hash);

create index concurrently if not exists api_keys_by_id on api_keys (id);

create index concurrently if not exists device_token_pairs_by_refresh_hash on device_token_pairs (refresh_hash);

create index concurrently if not exists device_token_pairs_by_access_hash on device_token_pairs (access_hash);

create index concurrently if not exists devices_by_code_of_display on devices (display_code) where display_code is not null;

create index concurrently if not exists devices_by_id on devices (id);

create index concurrently if not exists links_by_secret on links (secret_hash);

create index concurrently if not exists oidc_authorizations_by_id on oidc_authorizations (id);

create index concurrently if not exists sign_in_links_by_hash on sign_in_links (hash);

create index concurrently if not exists alert_subscriptions_by_person on alert_subscriptions (person_id);

-- Last: of indexes that cost the same, as all do on a small table, PostgreSQL takes the newest.
create unique index concurrently if not exists alert_subscriptions_tenant_pkey on alert_subscriptions (tenant_id, person_id, topic);

create unique index concurrently if not exists api_key_days_tenant_pkey on api_key_days (tenant_id, key_id, day);

create unique index concurrently if not exists api_keys_tenant_pkey on api_keys (tenant_id, id);

create unique index concurrently if not exists device_token_pairs_tenant_pkey on device_token_pairs (tenant_id, refresh_hash);

create unique index concurrently if not exists devices_tenant_pkey on devices (tenant_id, id);

create unique index concurrently if not exists evidence_bundles_tenant_pkey on evidence_bundles (tenant_id, verification_id);

create unique index concurrently if not exists link_openings_tenant_pkey on link_openings (tenant_id, verification_id);

create unique index concurrently if not exists links_tenant_pkey on links (tenant_id, id);

create unique index concurrently if not exists oidc_assertions_tenant_pkey on oidc_assertions (tenant_id, client_id, hash);

create unique index concurrently if not exists oidc_authorizations_tenant_pkey on oidc_authorizations (tenant_id, id);

create unique index concurrently if not exists oidc_client_secrets_tenant_pkey on oidc_client_secrets (tenant_id, hash);

create unique index concurrently if not exists oidc_clients_tenant_pkey on oidc_clients (tenant_id, id);

create unique index concurrently if not exists oidc_keys_tenant_pkey on oidc_keys (tenant_id, id);

create unique index concurrently if not exists oidc_pushed_requests_tenant_pkey on oidc_pushed_requests (tenant_id, id);

create unique index concurrently if not exists operator_requests_tenant_pkey on operator_requests (tenant_id, id);

create unique index concurrently if not exists registration_certificates_tenant_pkey on registration_certificates (tenant_id, id);

create unique index concurrently if not exists result_keys_tenant_pkey on result_keys (tenant_id, id);

create unique index concurrently if not exists sign_in_links_tenant_pkey on sign_in_links (tenant_id, hash);

create unique index concurrently if not exists tenant_origins_tenant_pkey on tenant_origins (tenant_id, id);

create unique index concurrently if not exists webhook_due_times_tenant_pkey on webhook_due_times (tenant_id, id);

create unique index concurrently if not exists webhook_endpoints_tenant_pkey on webhook_endpoints (tenant_id, id);

create unique index concurrently if not exists webhook_old_secrets_tenant_pkey on webhook_old_secrets (tenant_id, id);

create unique index concurrently if not exists webhook_test_events_tenant_pkey on webhook_test_events (tenant_id, id);

select pg_temp.add_reference('api_key_days', 'key_id', 'api_keys', '');

alter table api_key_days validate constraint api_key_days_tenant_id_key_id_fkey;

alter table api_key_days drop constraint if exists api_key_days_key_id_fkey;

select pg_temp.add_reference('device_token_pairs', 'device_id', 'devices', '');

alter table device_token_pairs validate constraint device_token_pairs_tenant_id_device_id_fkey;

alter table device_token_pairs drop constraint if exists device_token_pairs_device_id_fkey;

select pg_temp.add_reference('link_openings', 'link_id', 'links', '');

alter table link_openings validate constraint link_openings_tenant_id_link_id_fkey;

alter table link_openings drop constraint if exists link_openings_link_id_fkey;

select pg_temp.add_reference('oidc_assertions', 'client_id', 'oidc_clients', 'on delete cascade');

alter table oidc_assertions validate constraint oidc_assertions_tenant_id_client_id_fkey;

alter table oidc_assertions drop constraint if exists oidc_assertions_client_id_fkey;

select pg_temp.add_reference('oidc_authorizations', 'client_id', 'oidc_clients', 'on delete cascade');

alter table oidc_authorizations validate constraint oidc_authorizations_tenant_id_client_id_fkey;

alter table oidc_authorizations drop constraint if exists oidc_authorizations_client_id_fkey;

select pg_temp.add_reference('oidc_client_secrets', 'client_id', 'oidc_clients', 'on delete cascade');

alter table oidc_client_secrets validate constraint oidc_client_secrets_tenant_id_client_id_fkey;

alter table oidc_client_secrets drop constraint if exists oidc_client_secrets_client_id_fkey;

select pg_temp.add_reference('oidc_pushed_requests', 'client_id', 'oidc_clients', 'on delete cascade');

alter table oidc_pushed_requests validate constraint oidc_pushed_requests_tenant_id_client_id_fkey;

alter table oidc_pushed_requests drop constraint if exists oidc_pushed_requests_client_id_fkey;

select pg_temp.replace_primary_key('alert_subscriptions');

select pg_temp.replace_primary_key('api_key_days');

select pg_temp.replace_primary_key('api_keys');

select pg_temp.replace_primary_key('device_token_pairs');

select pg_temp.replace_primary_key('devices');

select pg_temp.replace_primary_key('evidence_bundles');

select pg_temp.replace_primary_key('link_openings');

select pg_temp.replace_primary_key('links');

select pg_temp.replace_primary_key('oidc_assertions');

select pg_temp.replace_primary_key('oidc_authorizations');

select pg_temp.replace_primary_key('oidc_client_secrets');

select pg_temp.replace_primary_key('oidc_clients');

select pg_temp.replace_primary_key('oidc_keys');

select pg_temp.replace_primary_key('oidc_pushed_requests');

select pg_temp.replace_primary_key('operator_requests');

select pg_temp.replace_primary_key('registration_certificates');

select pg_temp.replace_primary_key('result_keys');

select pg_temp.replace_primary_key('sign_in_links');

select pg_temp.replace_primary_key('tenant_origins');

select pg_temp.replace_primary_key('webhook_due_times');

select pg_temp.replace_primary_key('webhook_endpoints');

select pg_temp.replace_primary_key('webhook_old_secrets');

select pg_temp.replace_primary_key('webhook_test_events');

alter table api_keys drop constraint if exists api_keys_hash_key;

alter table device_token_pairs drop constraint if exists device_token_pairs_access_hash_key;

alter table links drop constraint if exists links_secret_hash_key;

alter table oidc_authorizations drop constraint if exists oidc_authorizations_code_hash_key;

alter table oidc_authorizations drop constraint if exists oidc_authorizations_token_hash_key;

alter table usage_alerts_told drop constraint if exists usage_alerts_told_id_key;

drop index concurrently if exists devices_by_display_code;

-- then, in one transaction:
alter index alert_subscriptions_tenant_pkey rename to alert_subscriptions_pkey;
alter index api_key_days_tenant_pkey rename to api_key_days_pkey;
alter index api_keys_tenant_pkey rename to api_keys_pkey;
alter index device_token_pairs_tenant_pkey rename to device_token_pairs_pkey;
alter index devices_tenant_pkey rename to devices_pkey;
alter index evidence_bundles_tenant_pkey rename to evidence_bundles_pkey;
alter index link_openings_tenant_pkey rename to link_openings_pkey;
alter index links_tenant_pkey rename to links_pkey;
alter index oidc_assertions_tenant_pkey rename to oidc_assertions_pkey;
alter index oidc_authorizations_tenant_pkey rename to oidc_authorizations_pkey;
alter index oidc_client_secrets_tenant_pkey rename to oidc_client_secrets_pkey;
alter index oidc_clients_tenant_pkey rename to oidc_clients_pkey;
alter index oidc_keys_tenant_pkey rename to oidc_keys_pkey;
alter index oidc_pushed_requests_tenant_pkey rename to oidc_pushed_requests_pkey;
alter index operator_requests_tenant_pkey rename to operator_requests_pkey;
alter index registration_certificates_tenant_pkey rename to registration_certificates_pkey;
alter index result_keys_tenant_pkey rename to result_keys_pkey;
alter index sign_in_links_tenant_pkey rename to sign_in_links_pkey;
alter index tenant_origins_tenant_pkey rename to tenant_origins_pkey;
alter index webhook_due_times_tenant_pkey rename to webhook_due_times_pkey;
alter index webhook_endpoints_tenant_pkey rename to webhook_endpoints_pkey;
alter index webhook_old_secrets_tenant_pkey rename to webhook_old_secrets_pkey;
alter index webhook_test_events_tenant_pkey rename to webhook_test_events_pkey;
alter index devices_by_code_of_display rename to devices_by_display_code;
