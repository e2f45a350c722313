-- compatible_from: 0037
-- Attempts go with their delivery by a trigger of its own, once a statement, instead of a foreign key: that looked each new attempt's
-- delivery up and locked it, though whoever writes one holds that row already (a tenth of what the store does for a delivery).
-- A session keeps the plan of its first call: by the ids and by index, so that it does not join each with each once the table has grown.
create function delete_attempts_of_deliveries() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from webhook_attempts where delivery_id = any (array(select id from gone));
  return null;
end
$$;
create trigger webhook_deliveries_take_attempts after delete on webhook_deliveries
  referencing old table as gone for each statement execute function delete_attempts_of_deliveries();
alter table webhook_attempts drop constraint webhook_attempts_delivery_id_fkey;
