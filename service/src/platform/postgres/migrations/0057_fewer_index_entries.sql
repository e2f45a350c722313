-- compatible_from: 0037
-- An update that changes no indexed column, on a page with room for the new version, writes no index entry (a "HOT" update). Two
-- indexes of verifications had the status and the encryption key in their conditions, so that every ending wrote all indexes again.
-- A plain index by expiry replaces both. The release before finds expired keys by it too, but reads all expired rows for that.
create index verifications_by_expiry on verifications (expires_at);

-- Up to where the keys of expired verifications are destroyed, so that each run starts there. At first: where the oldest key is.
create table expired_key_mark (
  only_one boolean primary key default true check (only_one),
  until    timestamptz not null
);
insert into expired_key_mark (until)
select least(min(expires_at), now()) from verifications where encryption_key is not null;

drop index verifications_with_key;
drop index verifications_unanswered;
-- No release has a query for this one.
drop index audit_entries_by_object;

-- Room on its page for a row's next versions: of a verification when its request is fetched and when it ends, of a result when it is
-- read. This holds for new pages; nothing is rewritten.
alter table verifications set (fillfactor = 50);
alter table verification_results set (fillfactor = 50);

-- Each ending looked up its verification and its tenant for these two, and locked the tenant's row for it. The statement that ends
-- verifications writes results and receipts only of rows that it holds; tenants are never deleted.
alter table verification_results drop constraint verification_results_verification_id_fkey;
alter table receipts drop constraint receipts_tenant_id_fkey;
