-- compatible_from: 0037
-- Whether what identifies a person to a client depends on the type of the credential. Clients from before, and those that are created while
-- a process of the release before runs, which would compute other subjects, have it off until their merchant turns it on.
alter table oidc_clients add column subject_per_type boolean not null default false;

-- later, when no process of a release before 0092 is connected:
-- New clients have it on, and those that identify no one.
alter table oidc_clients alter column subject_per_type set default true;
update oidc_clients set subject_per_type = true where subject_mode = 'ephemeral';
