-- Who signed what was loaded of a published list: whether they were revoked is asked later, too, when the address may be silent.
alter table trust_lists add column signer_chain bytea[];
