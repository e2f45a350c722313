-- compatible_from: 0072
-- First of three steps towards partitions by day: catalogue changes that hold a lock for a moment. `day` is the UTC day that the id of
-- a verification names, in days since 1970. 0 in all rows of today, in those that the release before writes, and in those that are
-- deleted one by one.
alter table verifications add column day integer not null default 0;
alter table verification_results add column day integer not null default 0;
alter table audit_details add column day integer not null default 0;
-- Where the details of an entry are.
alter table audit_entries add column day integer not null default 0;

-- These tables will be the partition of day 0. A validated constraint saves a scan under a lock when they are attached.
alter table verifications add constraint verifications_singly_check check (day = 0) not valid;
alter table verification_results add constraint verification_results_singly_check check (day = 0) not valid;
alter table audit_details add constraint audit_details_singly_check check (day = 0) not valid;

-- No foreign key can refer to a partitioned table whose partitions are dropped whole. The code that erases verifications deletes these
-- rows; the trigger does it for the release before, which relies on the foreign keys.
create function forget_what_verifications_left() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from evidence_bundles where verification_id = any (array(select id from gone));
  delete from oid4vp_requests where verification_id = any (array(select id from gone));
  delete from oidc_authorizations where verification_id = any (array(select id from gone));
  update authentication_codes set verification_id = null where verification_id = any (array(select id from gone));
  return null;
end
$$;
create trigger verifications_forget_left after delete on verifications
  referencing old table as gone for each statement execute function forget_what_verifications_left();

alter table webhook_deliveries drop constraint webhook_deliveries_verification_id_fkey;
alter table evidence_bundles drop constraint evidence_bundles_verification_id_fkey;
alter table oid4vp_requests drop constraint oid4vp_requests_verification_id_fkey;
alter table oidc_authorizations drop constraint oidc_authorizations_verification_id_fkey;
alter table authentication_codes drop constraint authentication_codes_verification_id_fkey;
