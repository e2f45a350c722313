-- compatible_from: 0037
-- What was sent to each wallet that fetched the request object: hash, client id, what was left out, what the wallet said it can do.
-- An earlier release neither writes nor reads it. Like the other columns of a request it keeps no statistics (see 0051).
alter table verifications add column requests_sent jsonb;
alter table verifications alter column requests_sent set statistics 0;
