-- compatible_from: 0037
-- A halted log does not grow, so its size does not show that the store was set back. The log's job counts how often it found the log halted.
alter table log_heads add column halted_runs bigint not null default 0;
