-- Workers bound to branches, and turns between namespaces. A seat carries the namespace of its job, so that a claim finds
-- the first of each without reading jobs. The index for it is made by the first claim that needs it: nobody else has to pay.
alter table ready add column namespace text not null default '';
alter table delayed add column namespace text not null default '';
alter table gated add column namespace text not null default '';
update ready set namespace = jobs.namespace from jobs where jobs.pk = ready.job;
update delayed set namespace = jobs.namespace from jobs where jobs.pk = delayed.job;
update gated set namespace = jobs.namespace from jobs where jobs.pk = gated.job;

-- The branches that a worker is bound to, as JSON; null for one that takes jobs wherever they are.
alter table workers add column paths text;
