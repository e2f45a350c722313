-- compatible_from: 0072
-- Third step: the tables become the partition of day 0 of partitioned tables. Catalogue changes only. Each day of creation gets its
-- own partition, which is dropped when all of it is past its retention. A row of a day without a partition goes to `…_unplanned`.

-- A partition like that of day 0: columns, checks, indexes, storage, and no statistics where that has none. day null: of all other days.
create function add_partition(parent text, partition text, of_day integer) returns void language plpgsql as $$
declare
  one record;
begin
  execute format('create table %I (like %I including defaults including storage including indexes)', partition, parent || '_singly');
  for one in select conname, pg_get_constraintdef(oid) as definition from pg_constraint
             where conrelid = parent::regclass and contype = 'c' loop
    execute format('alter table %I add constraint %I %s', partition, one.conname, one.definition);
  end loop;
  for one in select attname from pg_attribute
             where attrelid = parent::regclass and attnum > 0 and not attisdropped and attstattarget = 0 loop
    execute format('alter table %I alter column %I set statistics 0', partition, one.attname);
  end loop;
  for one in select unnest(reloptions) as option from pg_class where oid = (parent || '_singly')::regclass loop
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

create function partition_by_day(name text) returns void language plpgsql as $$
declare
  singly text := name || '_singly';
  one record;
begin
  execute format('alter table %I rename to %I', name, singly);
  execute format('create table %I (like %I including defaults including constraints including storage) partition by list (day)', name, singly);
  execute format('alter table %I drop constraint %I', name, singly || '_check');
  for one in select attname from pg_attribute
             where attrelid = singly::regclass and attnum > 0 and not attisdropped and attstattarget = 0 loop
    execute format('alter table %I alter column %I set statistics 0', name, one.attname);
  end loop;
  execute format('alter table %I attach partition %I for values in (0)', name, singly);
  perform add_partition(name, name || '_unplanned', null);
end
$$;

drop trigger verifications_forget_left on verifications;
select partition_by_day('verifications'), partition_by_day('verification_results'), partition_by_day('audit_details');
drop function partition_by_day(text);
create trigger verifications_forget_left after delete on verifications
  referencing old table as gone for each statement execute function forget_what_verifications_left();

-- A process of the release before writes results and audit details without a day. They follow their verification, so that they lapse
-- with it. Sessions of this release say so (vidimus.days) and pay nothing for it.
create function move_result_to_its_day() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update verification_results r set day = v.day from verifications v
  where r.verification_id = new.verification_id and r.day = 0 and v.id = new.verification_id and v.tenant_id = new.tenant_id and v.day <> 0;
  return null;
end
$$;
create trigger verification_results_singly_move after insert on verification_results_singly
  for each row when (current_setting('vidimus.days', true) is distinct from 'on') execute function move_result_to_its_day();
create function move_details_to_their_day() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update audit_details d set day = v.day from verifications v
  where d.tenant_id = new.tenant_id and d.environment = new.environment and d.seq = new.seq and d.day = 0
    and v.id = new.object_id and v.tenant_id = new.tenant_id and v.day <> 0;
  return null;
end
$$;
create trigger audit_details_singly_move after insert on audit_details_singly for each row
  when (current_setting('vidimus.days', true) is distinct from 'on' and starts_with(new.object_id, 'ver_'))
  execute function move_details_to_their_day();
-- The entry says where its details are; it is never updated.
create function name_day_of_entry() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  new.day := coalesce((select v.day from verifications v where v.id = new.object_id and v.tenant_id = new.tenant_id), 0);
  return new;
end
$$;
create trigger audit_entries_name_day before insert on audit_entries for each row
  when (current_setting('vidimus.days', true) is distinct from 'on' and starts_with(new.object_id, 'ver_'))
  execute function name_day_of_entry();

-- Verifications of a day that is past its retention, on their way out: no reader sees them here.
create table lapsed_verifications (like verifications including defaults including storage) partition by list (day);
do $$
declare
  one record;
begin
  for one in select attname from pg_attribute
             where attrelid = 'verifications'::regclass and attnum > 0 and not attisdropped and attstattarget = 0 loop
    execute format('alter table lapsed_verifications alter column %I set statistics 0', one.attname);
  end loop;
end
$$;
create index verifications_unplanned_by_day on verifications_unplanned (day);
create index verification_results_unplanned_by_day on verification_results_unplanned (day);
create index audit_details_unplanned_by_day on audit_details_unplanned (day);

-- One caller at a time. False: rows of that day are in `…_unplanned`, so it can get no partition; or more than so many bytes are: they are
-- read when a partition is attached, and nobody writes meanwhile. null: however many.
create function make_day(of_day integer, bytes_max bigint default 512 * 1024 * 1024) returns boolean
language plpgsql set enable_seqscan = off as $$
declare
  parents text[] := array['verifications', 'verification_results', 'audit_details'];
  parent text;
  taken boolean;
begin
  perform pg_advisory_xact_lock(7310011);
  foreach parent in array parents loop
    if pg_relation_size((parent || '_unplanned')::regclass) > bytes_max then return false; end if;
    execute format('select exists (select from %I where day = %s)', parent || '_unplanned', of_day) into taken;
    if taken then return false; end if;
  end loop;
  foreach parent in array parents loop
    if to_regclass(parent || '_' || of_day) is null then perform add_partition(parent, parent || '_' || of_day, of_day); end if;
  end loop;
  return true;
end
$$;

-- Whether a tenant keeps something of that day, or is closed and has something in it. A row may be written some minutes after its id was
-- made, and so after its day.
create function is_day_kept(of_day integer, at timestamptz) returns boolean language plpgsql as $$
declare
  kept boolean;
begin
  execute format('select exists (select from tenants t
      where ($1 < to_timestamp(%s * 86400.0) + make_interval(days => t.retention_days, mins => 10) or t.closed_until > clock_timestamp())
        and exists (select from %I v where v.tenant_id = t.id))', of_day + 1, 'verifications_' || of_day) into kept using at;
  return kept;
end
$$;

-- Takes a day out of the tables unless it is kept, and locks them until the end of the transaction. Results go at once, details of the
-- audit trail with drop_details in the same transaction, verifications with drop_day. Under their new name no statement to the table of
-- that day finds them.
create function lapse_day(of_day integer, at timestamptz) returns boolean language plpgsql as $$
declare
  verifications_then text := 'verifications_' || of_day;
  results_then text := 'verification_results_' || of_day;
begin
  perform pg_advisory_xact_lock(7310011);
  execute format('lock table only verifications, only verification_results, only audit_details, %I, %I, %I in access exclusive mode',
    verifications_then, results_then, 'audit_details_' || of_day);
  if is_day_kept(of_day, at) then return false; end if;
  execute format('alter table verifications detach partition %I', verifications_then);
  execute format('alter table %I rename to %I', verifications_then, 'lapsed_' || verifications_then);
  execute format('alter table lapsed_verifications attach partition %I for values in (%s)', 'lapsed_' || verifications_then, of_day);
  execute format('drop table %I', results_then);
  return true;
end
$$;

-- The numbers of the audit entries whose details are in the partition of a day, of each realm of some tenants: alternately how many
-- numbers are left out, from 1 on, and how many follow. `last` is the last of them, `newest` its time. Most follow each other, so they are
-- counted for 1,000 numbers at a time, and only where some are left out each is compared with the one before. Of the day's own table, without
-- a condition on the day: an index alone answers it.
create function name_entries(of_day integer, after_tenant text, up_to_tenant text)
returns table (tenant_id text, environment text, entries text, last bigint, newest text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return query execute format($query$
    with recursive ends as materialized (
      select t.id as tenant_id, e.environment, s.first, s.last from tenants t cross join unnest(array['test', 'live']) as e (environment)
      cross join lateral (
        select min(seq) as first, max(seq) as last from %1$I where tenant_id = t.id and environment = e.environment) s
      where t.id > $1 and t.id <= $2 and s.first is not null
    ), pages as (
      select tenant_id, environment, first, -1::bigint as before, (
        select count(*) from %1$I where tenant_id = e.tenant_id and environment = e.environment
          and seq >= e.first and seq < e.first + 1000) as count from ends e
      union all
      select p.tenant_id, p.environment, n.seq, case when p.count = 1000 then p.first + 999 else (
          select max(seq) from %1$I where tenant_id = p.tenant_id and environment = p.environment and seq < n.seq) end, (
        select count(*) from %1$I where tenant_id = p.tenant_id and environment = p.environment and seq >= n.seq and seq < n.seq + 1000)
      from pages p cross join lateral (
        select seq from %1$I where tenant_id = p.tenant_id and environment = p.environment
          and seq >= p.first + 1000 order by seq limit 1) n
    ), numbers as (
      select tenant_id, environment, first as seq, before from pages
      union all
      select p.tenant_id, p.environment, n.seq, n.before from pages p cross join lateral (
        select seq, lag(seq) over (order by seq) as before from %1$I
        where tenant_id = p.tenant_id and environment = p.environment and seq >= p.first and seq < p.first + 1000) n
      where p.count < 1000
    ), runs as (
      select tenant_id, environment, seq as first, before, lead(before) over realm as last
      from numbers where seq <> before + 1 window realm as (partition by tenant_id, environment order by seq)
    ), named as (
      select tenant_id, environment, e.last, string_agg(
        r.first - 1 - greatest(before, 0) || ',' || coalesce(r.last, e.last) - r.first + 1, ',' order by r.first) as entries
      from runs r join ends e using (tenant_id, environment) group by 1, 2, 3
    )
    select n.tenant_id, n.environment, n.entries, n.last, convert_from(e.bytes, 'UTF8')::jsonb ->> 'at'
    from named n left join audit_entries e on e.tenant_id = n.tenant_id and e.environment = n.environment and e.seq = n.last
  $query$, 'audit_details_' || of_day) using after_tenant, up_to_tenant;
end
$$;

-- How many verifications each realm had in a lapsed day, and the number of the last audit entry whose details are in its partition. Each
-- realm is counted for itself: an index alone answers it.
create function count_lapsed(of_day integer)
returns table (tenant_id text, environment text, verifications bigint, last bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return query execute format($query$
    select c.* from tenants t cross join unnest(array['test', 'live']) as e (environment) cross join lateral (
      select t.id, e.environment,
        (select count(*) from %1$I v where v.tenant_id = t.id and v.environment = e.environment) as verifications,
        (select max(d.seq) from %2$I d where d.tenant_id = t.id and d.environment = e.environment)) c
    where c.verifications > 0 order by 1, 2 desc
  $query$, 'lapsed_verifications_' || of_day, 'audit_details_' || of_day);
end
$$;

create function drop_details(of_day integer) returns void language plpgsql as $$
begin
  execute format('drop table %I', 'audit_details_' || of_day);
end
$$;

create function drop_day(of_day integer) returns void language plpgsql as $$
begin
  execute format('drop table if exists %I', 'lapsed_verifications_' || of_day);
end
$$;
