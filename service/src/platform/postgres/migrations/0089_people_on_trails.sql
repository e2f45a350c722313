-- compatible_from: 0037
-- A job looks up when the trails of all tenants last named an account.
create index audit_details_of_people on audit_details_singly (object_id) where details ? 'email';
