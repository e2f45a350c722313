-- compatible_from: 0072
-- Second step: reads the tables once, and blocks neither reads nor writes.
alter table verifications validate constraint verifications_singly_check;
alter table verifications validate constraint verifications_bound_by_check;
alter table verifications validate constraint verifications_browser_binding_check;
alter table verifications validate constraint verifications_browser_hash_check;
alter table verification_results validate constraint verification_results_singly_check;
alter table audit_details validate constraint audit_details_singly_check;
