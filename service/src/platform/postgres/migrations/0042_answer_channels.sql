-- compatible_from: 0037
-- The channel by which a verification was answered, for its diagnostics. Earlier releases leave it null.
alter table verification_results add column answered_by text;
