-- When the merchant's system first read what became of a verification; null: not yet, or before that was noted.
alter table verification_results add column first_read_at timestamptz;
