-- compatible_from: 0037
-- Only an accepted sign-in has a code that is used, a token call of a client with keys, and further sign-ins of the browser that it lends its
-- verification to. So times, and how often an id occurs, say yes or no, and statistics outlive the rows: see 0051. Neither table keeps any.
do $$
declare
  col record;
begin
  for col in
    select c.oid, c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod) as type,
           exists (select from pg_stats s where s.schemaname = current_schema() and s.tablename = c.relname and s.attname = a.attname
             and (s.most_common_vals is not null or s.histogram_bounds is not null)) as has_values
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relname in ('oidc_assertions', 'oidc_authorizations')
      and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum
  loop
    execute format('alter table %I alter column %I set statistics 0', col.relname, col.attname);
    continue when not col.has_values;
    if current_setting('server_version_num')::int >= 180000 then
      execute format('select pg_clear_attribute_stats(%L, %L, %L, false)', current_schema(), col.relname, col.attname);
    elsif current_setting('is_superuser') = 'on' then
      delete from pg_statistic where starelid = col.oid and staattnum = col.attnum;
    else
      -- To the type it has: nothing is rewritten, and its statistics are dropped. The tables have the sign-ins of minutes.
      execute format('alter table %I alter column %I type %s', col.relname, col.attname, col.type);
    end if;
  end loop;
end
$$;
