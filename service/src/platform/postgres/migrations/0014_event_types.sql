-- A delivery says what happened: a verification may have more than one event to tell, each of them once.
alter table webhook_deliveries
  -- null: made beside this schema by the release before, which told of endings alone.
  add column type text,
  drop constraint webhook_deliveries_verification_id_key,
  add constraint webhook_deliveries_told_once unique (verification_id, type);
update webhook_deliveries d set type = 'verification.' || v.status from verifications v where v.id = d.verification_id;
