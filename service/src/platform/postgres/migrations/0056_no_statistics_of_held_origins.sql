-- compatible_from: 0037
-- held_for names a destination's origin, as failed_at_origin does: it keeps no statistics either (see 0051).
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
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and c.relname = 'webhook_deliveries' and a.attname = 'held_for'
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
