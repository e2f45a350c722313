-- What is due is found by how long it has been, before anybody looks at realms: those whose retries wait are not looked at.
create index webhook_deliveries_longest_due on webhook_deliveries (next_at) where state = 'pending';

-- What one tenant sees of trust is found without looking at everybody's, as its anchors are.
create index trust_lists_by_realm on trust_lists (environment, tenant_id);
create index access_keys_by_realm on access_keys (environment, tenant_id) where retired_at is null;
