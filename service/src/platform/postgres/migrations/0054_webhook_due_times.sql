-- compatible_from: 0037
-- For each realm with pending webhooks a time at which to look for due ones: never later than the first of them is due. Leases read
-- these few rows instead of searching all deliveries for realms. A realm has one row as a rule; a second one is written where the
-- first is locked, so that no transaction ever waits for a row of this table.
create table webhook_due_times (
  id bigint generated always as identity primary key,
  tenant_id text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  due_at timestamptz not null
);
create index webhook_due_times_by_realm on webhook_due_times (tenant_id, environment, due_at);
create index webhook_due_times_by_time on webhook_due_times (due_at);

-- A realm's pending deliveries by time. By an expression, so that no other index fits the same question: by statistics from before a
-- backlog the planner would rather read all of a tenant's deliveries. It replaces webhook_deliveries_due and _longest_due, which the
-- release before reads; they can go with the release after.
create index webhook_deliveries_pending on webhook_deliveries ((tenant_id || '|' || environment), next_at) where state = 'pending';

-- Whatever makes a delivery due makes sure of a time for its realm, also in the release before, which knows nothing of them. A row that
-- is early enough is locked until the transaction ends, so that nobody replaces it by a later one before the delivery can be seen.
-- A session keeps the plans of its first calls: by index, so that it does not read all rows once there are many.
create function note_due_delivery() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  perform from webhook_due_times t
    where t.tenant_id = new.tenant_id and t.environment = new.environment and t.due_at <= new.next_at
    limit 1 for share skip locked;
  if not found then
    insert into webhook_due_times (tenant_id, environment, due_at) values (new.tenant_id, new.environment, new.next_at);
  end if;
  return null;
end
$$;
create trigger webhook_deliveries_note_due_inserted after insert on webhook_deliveries for each row
  when (new.state = 'pending' and new.leased_until is null) execute function note_due_delivery();
create trigger webhook_deliveries_note_due_updated after update on webhook_deliveries for each row
  when (new.state = 'pending' and new.leased_until is null) execute function note_due_delivery();

-- The triggers above waited for every transaction that had written deliveries, so that none is missed here.
insert into webhook_due_times (tenant_id, environment, due_at)
select tenant_id, environment, min(next_at) from webhook_deliveries where state = 'pending' group by tenant_id, environment;
