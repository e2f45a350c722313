-- compatible_from: 0037
-- Attempts go with their delivery by a trigger of its own, once a statement, instead of a foreign key: that looked each new attempt's
-- delivery up and locked it, though whoever writes one holds that row already (a tenth of what the store does for a delivery).
create function delete_attempts_of_deliveries() returns trigger language plpgsql as $$
begin
  delete from webhook_attempts a using gone where a.delivery_id = gone.id;
  return null;
end
$$;
create trigger webhook_deliveries_take_attempts after delete on webhook_deliveries
  referencing old table as gone for each statement execute function delete_attempts_of_deliveries();
alter table webhook_attempts drop constraint webhook_attempts_delivery_id_fkey;
