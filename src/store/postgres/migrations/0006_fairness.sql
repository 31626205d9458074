-- Workers bound to branches, and turns between namespaces. A seat carries the namespace of its job, so that a claim finds
-- the first of each without reading jobs. The index for it is made by the first claim that needs it: nobody else has to pay.
alter table stint.ready add column namespace text collate "C" not null default '';
alter table stint.delayed add column namespace text collate "C" not null default '';
alter table stint.gated add column namespace text collate "C" not null default '';
update stint.ready set namespace = jobs.namespace from stint.jobs where jobs.pk = ready.job;
update stint.delayed set namespace = jobs.namespace from stint.jobs where jobs.pk = delayed.job;
update stint.gated set namespace = jobs.namespace from stint.jobs where jobs.pk = gated.job;
alter table stint.ready alter column namespace drop default;
alter table stint.delayed alter column namespace drop default;
alter table stint.gated alter column namespace drop default;

-- The branches that a worker is bound to, as JSON; null for one that takes jobs wherever they are.
alter table stint.workers add column paths text;
