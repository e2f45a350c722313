-- compatible_from: 0037
-- The tenants that a receipt key of another installation came with: it is deleted with the last copy that is not opened. null: a key of
-- this installation, or one that came before.
alter table receipt_keys add column came_with text[];
alter table receipt_keys alter column came_with set statistics 0;
