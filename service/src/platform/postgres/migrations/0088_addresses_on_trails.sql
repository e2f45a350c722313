-- compatible_from: 0037
-- Details of audit entries with an address of a team member, which a job forgets: few among all that are deleted singly.
create index audit_details_with_address on audit_details_singly (tenant_id, environment, seq) where details ? 'email';
