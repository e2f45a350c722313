-- Who signed what was loaded of a published list: whether they were revoked is asked later, too, when the address may be silent.
alter table trust_lists add column signer_chain bytea[];

-- A tenant's invitation opens an account of its own and touches no other: one address may have several accounts, at most one by
-- each tenant. null: opened by the operator, by the provider, or before this was noted.
alter table people
  drop constraint people_email_key,
  drop column signed_in_at,
  add column opened_by text references tenants (id),
  add constraint people_email_opened_by_key unique nulls not distinct (email, opened_by);
