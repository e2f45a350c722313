-- compatible_from: 0037
-- The checkpoint that a process remembered when it noticed that the store was set back. A new epoch states what was lost up to it, also
-- when that process and its disk are gone.
alter table log_heads add column set_back_note text;
