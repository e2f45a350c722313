-- Whether a tenant's questions for an age may also be asked by a link of the EU age profile, which nobody signs.
alter table tenants add column age_link boolean not null default false;

-- How a verification was answered: its wallet was sent that link. Of what was answered before, null.
alter table verifications add column answered_by_age_link boolean;
