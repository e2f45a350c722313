-- compatible_from: 0037
-- PostgreSQL copies values of a column into pg_statistic when it analyses a table, and they stay there when their row is erased. So
-- columns with sealed, hashed, secret or erasable values keep no statistics. They are looked up by unique indexes, which need none.
-- Every column of these types, and these texts; a test demands it of each new one.
do $$
declare
  col record;
begin
  for col in
    select c.oid, c.relname, a.attname, a.attnum, a.attstorage, format_type(a.atttypid, a.atttypmod) as type,
           -- Only what has an order or an equality has values there.
           exists (select from pg_stats s where s.schemaname = current_schema() and s.tablename = c.relname and s.attname = a.attname
             and (s.most_common_vals is not null or s.histogram_bounds is not null or s.most_common_elems is not null)) as has_values
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and (
      format_type(a.atttypid, null) in ('bytea', 'bytea[]', 'json', 'jsonb')
      or (c.relname, a.attname) in (
        ('devices', 'display_code'), ('evidence_bundles', 'jwe'), ('idempotency_keys', 'fence'), ('idempotency_keys', 'key'),
        ('mandates', 'sha256'), ('oidc_identities', 'subject'), ('passkey_challenges', 'challenge'), ('passkeys', 'id'),
        ('passkeys', 'name'), ('people', 'email'), ('people', 'password'), ('receipts', 'jws'),
        ('registration_certificates', 'hash'), ('sign_in_links', 'email'), ('tenant_branding', 'logo_hash'),
        ('tenant_origins', 'token'), ('verifications', 'idempotency_key'), ('verifications', 'nonce'),
        ('verifications', 'purpose'), ('verifications', 'redirect_url'), ('verifications', 'request_object'),
        ('verifications', 'state'), ('verifications', 'webhook_url'), ('webhook_attempts', 'url'),
        ('webhook_deliveries', 'failed_at_origin'), ('webhook_destinations', 'origin')))
    order by c.relname, a.attnum
  loop
    execute format('alter table %I alter column %I set statistics 0', col.relname, col.attname);
    continue when not col.has_values;
    -- What was collected before goes now: analysing again would leave it.
    if current_setting('server_version_num')::int >= 180000 then
      execute format('select pg_clear_attribute_stats(%L, %L, %L, false)', current_schema(), col.relname, col.attname);
    elsif current_setting('is_superuser') = 'on' then
      delete from pg_statistic where starelid = col.oid and staattnum = col.attnum;
    elsif pg_relation_size(col.oid) < 256 * 1024 * 1024 then
      -- To the type it has: nothing is rewritten, and its statistics are dropped. Constraints on it are checked again, so not of a
      -- large table: "vidimus doctor" names those, and says how a superuser removes them.
      execute format('alter table %I alter column %I type %s', col.relname, col.attname, col.type);
      execute format('alter table %I alter column %I set storage %s', col.relname, col.attname,
        case col.attstorage when 'e' then 'external' when 'm' then 'main' when 'p' then 'plain' else 'extended' end);
    end if;
  end loop;
end
$$;
