-- Since when a job is ready that is as it was submitted, or null: then its first attempt starts, and nothing else follows from it. The
-- seat says all that a claim needs to start it, so that the job need not be read first.
alter table stint.ready add column since bigint;
-- How long an attempt of such a job may take; null for as long as it likes.
alter table stint.ready add column timeout_ms bigint;
