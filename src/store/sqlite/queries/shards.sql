-- name: removeShards
delete from shards where job = :job;

-- name: beginShards
insert into sharded (job, spec, total, adopted, opened, done, failed) values (:job, :spec, 0, 0, 0, 0, 0)
on conflict (job) do update set spec = excluded.spec;

-- name: addShard
insert into shards (job, idx, state, adopted) values (:job, :idx, :state, :adopted)
on conflict (job, adopted, idx) do update set state = excluded.state;

-- name: sealShards
update sharded set
  total = (select count(*) from shards where shards.job = sharded.job),
  adopted = (select count(*) from shards where shards.job = sharded.job and shards.adopted = 1)
where job = :job
returning job, spec, total, adopted, opened, done, failed;

-- name: countShards
update sharded set done = done + :done, failed = failed + :failed where job = :job
returning job, spec, total, adopted, opened, done, failed;

-- name: openShards
delete from shards where job = :job and adopted = 0 and idx in (
  select idx from shards where job = :job and adopted = 0 order by idx limit :count
)
returning idx, state;

-- name: shardsOpened
update sharded set opened = opened + :count where job = :job;

-- name: shardedRow
select job, spec, total, adopted, opened, done, failed from sharded where job = :job;

-- name: shardPage
select idx, state from shards where job = :job and adopted = :adopted and idx >= :from order by idx limit :limit;
