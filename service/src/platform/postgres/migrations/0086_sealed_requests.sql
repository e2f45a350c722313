-- compatible_from: 0072
-- Requests that are kept for evidence name the transaction and the origin, so they are sealed. Processes write `request_object` as plain
-- text until the late part is in force. What is plain then goes when its verification ends or expires.
alter table verifications add column served_requests bytea;
alter table lapsed_verifications add column served_requests bytea;
alter table verifications alter column served_requests set statistics 0;
alter table lapsed_verifications alter column served_requests set statistics 0;
create or replace function add_partition(parent text, partition text, of_day integer) returns void language plpgsql as $$
declare
  like_that regclass := parent || '_singly';
  -- An ending changes the first ten, the first fetch the others.
  changing text[] := array['encryption_key', 'request_object', 'served_requests', 'transaction_data', 'status', 'responded_at',
    'response_code_hash', 'bound_by', 'answered_by_age_link', 'redeemed_at', 'same_device', 'request_fetched_at', 'request_sha256', 'requests_sent'];
  columns text;
  one record;
begin
  select string_agg(format('%I %s', attname, concat_ws(' ', format_type(atttypid, atttypmod),
      'default ' || pg_get_expr(adbin, adrelid), case when attnotnull then 'not null' end)),
      ', ' order by coalesce(array_position(changing, attname::text), 0), attnum) into columns
    from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = like_that and attnum > 0 and not attisdropped;
  execute format('create table %I (%s)', partition, columns);
  for one in select attname from pg_attribute
             where attrelid = like_that and attnum > 0 and not attisdropped and attstattarget = 0 loop
    execute format('alter table %I alter column %I set statistics 0', partition, one.attname);
  end loop;
  -- In their order: of indexes that cost the same, PostgreSQL takes the newest.
  for one in select coalesce(format('alter table %I add ', partition) || pg_get_constraintdef(c.oid),
               regexp_replace(pg_get_indexdef(indexrelid), ' INDEX \S+ ON \S+ ', format(' INDEX ON %I ', partition))) as creating
             from pg_index left join pg_constraint c on c.conindid = indexrelid and c.contype in ('p', 'u')
             where indrelid = like_that order by indexrelid loop
    execute one.creating;
  end loop;
  for one in select conname, pg_get_constraintdef(oid) as definition from pg_constraint
             where conrelid = parent::regclass and contype = 'c' loop
    execute format('alter table %I add constraint %I %s', partition, one.conname, one.definition);
  end loop;
  for one in select unnest(reloptions) as option from pg_class where oid = like_that loop
    execute format('alter table %I set (%s)', partition, one.option);
  end loop;
  if of_day is null then
    execute format('alter table %I attach partition %I default', parent, partition);
  else
    -- Saves the scan when it is attached elsewhere.
    execute format('alter table %I add constraint %I check (day = %s)', partition, partition || '_day', of_day);
    execute format('alter table %I attach partition %I for values in (%s)', parent, partition, of_day);
  end if;
end
$$;

-- later, when no process of a release before 0086 is connected:
-- A process of the release before would keep no sealed request in its bundle. There is nothing to change in the store.
