/**
 * The limit on PostgreSQL: the rows that Stint writes for a job, by a bare loop of three statements over batches. Nothing is
 * decided, nothing can be lost to somebody else, nothing is tried again.
 */
import pg, { type Client } from 'pg'
import { type Handler, inParts, type Open } from '../harness/system.ts'
import { batchSize, makeSchema, type NewRow, newId, newRow, type, verifyRows } from './limit.ts'

const connections = 2

export const open: Open = async (url) => {
  await makeSchema(url)
  const clients = await Promise.all(Array.from({ length: connections }, () => connect(url)))
  const [first] = clients
  if (first === undefined) throw new Error('There is no connection.')
  const typeId = await idOfType(first)
  let working: Promise<unknown> = Promise.resolve()
  return {
    submitMany: (jobs) =>
      inParts(jobs, { size: batchSize, atOnce: connections }, (part, line) =>
        insert(clients[line] ?? first, typeId, part.map(newRow)),
      ),
    submit: (params) => insert(first, typeId, [newRow({ params })]),
    start(handler) {
      working = Promise.all(clients.map((client) => drain(client, typeId, handler)))
    },
    async unrecorded() {
      await working
      return 0
    },
    stop: () => Promise.resolve(),
    async close() {
      await Promise.all(clients.map((client) => client.end()))
    },
    verify: () => verifyRows(url),
  }
}

async function connect(url: string): Promise<Client> {
  // Statements are parsed once and planned for the values they have: a plan for empty tables is never used on full ones.
  const client = new pg.Client({ connectionString: url, options: '-c plan_cache_mode=force_custom_plan' })
  await client.connect()
  return client
}

async function idOfType(client: Client): Promise<number> {
  await client.query('insert into stint.types (name) values ($1) on conflict do nothing', [type])
  const { rows } = await client.query('select id from stint.types where name = $1', [type])
  return rows[0].id
}

/** Takes a batch, runs it and records its end, until there is nothing left. */
async function drain(client: Client, typeId: number, handler: Handler): Promise<void> {
  const workerId = newId()
  for (;;) {
    const token = newId()
    const claimed = await claim(client, typeId, workerId, token)
    if (claimed.length === 0) return
    for (const { params } of claimed) await handler(JSON.parse(params))
    await complete(client, workerId, token, claimed)
  }
}

/** One job row, one name and one seat for each, and a row of the log for all. */
async function insert(client: Client, typeId: number, rows: readonly NewRow[]): Promise<void> {
  await client.query({
    name: 'insert',
    text: `
      with given as materialized (
        select nextval('stint.pks') as pk, * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
          as given(id, name, params, digest)
      ),
      batch as (
        insert into stint.events (tx, version, code, occurred_at, received_at, namespace, attributes, size, jobs, details)
        select stint.log_position(0), 1, 1, $6::bigint, $6::bigint, '', '{}', count(*), array_agg(pk),
          array_agg('{"name":"' || name || '","type":"${type}","paramsDigest":"' || digest || '"}')
        from given
        returning log_id
      ),
      made as (
        insert into stint.jobs (
          pk, id, name, params, params_digest, position, namespace, type, revision, released, version, state, phase,
          priority, attempt, charged, cancelled, scheduled_for, created_at, queued_at, updated_at, made_row
        )
        select pk, id, name, params, digest, pk * 100, 'default', $5, 1, 0, 1, 0, 1, 0, 0, 0, 0, $6, $6, $6, $6, log_id
        from given cross join batch
        returning pk, name
      ),
      named as (
        insert into stint.names (name, job) select name, pk from made
      ),
      seats as (
        insert into stint.ready (lane, priority, position, job, revision, namespace)
        select 2 * $5::integer, 0, pk * 100, pk, 1, 'default' from made
      )
      select log_id from batch`,
    values: [
      rows.map(({ id }) => id),
      rows.map(({ name }) => name),
      rows.map(({ params }) => params),
      rows.map(({ digest }) => digest),
      typeId,
      Date.now(),
    ],
  })
}

interface Claimed {
  readonly pk: string
  readonly id: string
  readonly name: string
  readonly params: string
}

/** The seats go, claims and a row of the log come. */
async function claim(client: Client, typeId: number, workerId: string, token: string): Promise<readonly Claimed[]> {
  const { rows } = await client.query({
    name: 'claim',
    text: `
      with chosen as materialized (
        select ctid as place, job, revision from stint.ready where lane = 2 * $1::integer
        order by priority desc, position, job limit ${batchSize} for update skip locked
      ),
      seats as (
        delete from stint.ready where ctid = any(array(select place from chosen))
      ),
      batch as (
        insert into stint.events (tx, version, code, occurred_at, received_at, namespace, actor, attributes, size, jobs)
        select stint.log_position(0), 2, 4, $4::bigint, $4::bigint, '', 'worker ' || $2::text,
          '{"attempt":1,"token":"' || $3::text || '","workerId":"' || $2::text || '","attemptDeadlineAt":null}', size, jobs
        from (select count(*) as size, array_agg(job) as jobs from chosen) as starts where size > 0
        returning log_id
      ),
      claimed as (
        insert into stint.claims (job, revision, started_at, token, worker_id, start_row)
        select job, revision + 1, $4::bigint, $3, $2, log_id from chosen cross join batch
      )
      select pk, id, name, params from stint.jobs where pk = any(array(select job from chosen))`,
    values: [typeId, workerId, token, Date.now()],
  })
  return rows
}

/** Claims and names go, runs and a row of the log come. */
async function complete(client: Client, workerId: string, token: string, claimed: readonly Claimed[]): Promise<void> {
  await client.query({
    name: 'complete',
    text: `
      with ended as (
        delete from stint.claims where job = any($1::bigint[]) returning job, started_at, start_row
      ),
      unnamed as (
        delete from stint.names where name = any($5::text[])
      ),
      batch as (
        insert into stint.events (
          tx, version, code, occurred_at, received_at, namespace, actor, execution_id, attributes, size, jobs
        )
        select stint.log_position(0), 3, 6, $4::bigint, $4::bigint, '', 'worker ' || $2::text, 'stint::default:',
          '{"attempt":1,"resultDigest":null}', cardinality($1::bigint[]), $1::bigint[]
        returning log_id
      )
      insert into stint.runs (
        job, attempt, status, worker_id, started_at, finished_at, ends, token, start_row, end_row
      )
      select job, 1, 0, $2, started_at, $4, 1, $3, start_row, log_id from ended cross join batch`,
    values: [claimed.map(({ pk }) => pk), workerId, token, Date.now(), claimed.map(({ name }) => name)],
  })
}
