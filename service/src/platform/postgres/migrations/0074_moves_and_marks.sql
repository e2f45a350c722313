-- compatible_from: 0072
-- What an alert was about named the host of a webhook's receiver in plain text, and outlived the erasure of the verifications that had
-- failed there. It is a keyed digest now. A receiver that still fails is reported once more.
delete from alert_mails where topic = 'webhooks';

-- The keys that a tenant's lists have named move with the tenant: without them a sole-type mark that they contradict would hold again.
-- The release before does not write the column; a move sets it where it is missing.
alter table listed_keys add column tenant_id text;
update listed_keys k set tenant_id = l.tenant_id from trust_lists l where l.id = k.list_id and l.tenant_id is not null;

-- Since when this installation has a copy of a tenant that it does not serve: before it is opened here, or after it has moved away.
-- Erasures do not reach the copy, so a job deletes it.
alter table tenants add column copy_since timestamptz;
update tenants set copy_since = now() where moved_to is not null or (moved_from is not null and arrived_at is null);

-- Receipts that came with a tenant enter the log in the place of padding: a batch as large as their number would show the merchant's volume.
alter table receipts add column arrived boolean;
create index receipts_arrived on receipts (verification_id) where leaf_index is null and arrived;
