import { type Share, Turns } from '../core/gates/turns.ts'
import { JobName } from '../core/names/job-name.ts'
import type { Awaitable } from './awaitable.ts'
import type { CheckedClaim } from './claim-request.ts'
import type { Claimable, PassedGates } from './gates.ts'

/** A ready job that a claim may take. */
export interface Seat extends Claimable {
  readonly namespace: string
  readonly isSuspect: boolean
}

/** A namespace, or what is at or below a path in it. */
export interface Branch {
  readonly namespace: string
  readonly path: string | null
}

/** Namespaces in the order of their bytes: those after one, up to another that belongs to them; null for no end. */
export interface NamespaceRange {
  readonly after: string
  readonly until: string | null
}

/** Finds out who takes turns. */
export interface Namespaces {
  /** Namespaces of the range in which something is ready. */
  namespaces(range: NamespaceRange, limit: number): Awaitable<readonly string[]>
  /** Of these namespaces, those in which something is ready, in their order. */
  readyAmong(namespaces: readonly string[]): Awaitable<readonly string[]>
}

/** What a claim finds and does in its transaction. */
export interface Claimer<Job extends Seat, Started> extends Namespaces {
  /**
   * The first ready jobs of each share in the order of the queue, as many as it has, and beside them so many suspects.
   */
  seats(shares: readonly Share[], suspectLimit: number): Awaitable<readonly Job[]>
  pass(jobs: readonly Job[]): Awaitable<PassedGates<Job>>
  /** Starts an attempt of each, and gives them in the same order. */
  start(jobs: readonly Job[]): Awaitable<readonly Started[]>
}

/** In strict order nobody takes turns: all jobs are of one. */
const everybody = ''

/** How often a claim looks behind jobs that were shut out, or for others in place of those who have nothing more. */
const roundMax = 1_000

/**
 * Takes the first jobs that pass all gates: of all together, or of each namespace in turn. Others stand behind those that
 * were shut out, and other namespaces behind those that have nothing more: they are looked at in the next round.
 */
export async function claimInTurns<Job extends Seat, Started>(
  request: CheckedClaim,
  claimer: Claimer<Job, Started>,
): Promise<readonly Started[]> {
  const nameOf = ({ namespace }: Seat) => (request.fairness === null ? everybody : namespace)
  const turns = new Turns()
  const others = await begin(turns, request, claimer)
  const taken: { readonly job: Job; readonly started: Started }[] = []
  let { limit, suspectLimit } = request
  for (let round = 0; limit > 0 && round < roundMax; round++) {
    turns.join(await others.next(limit - turns.newcomers))
    const shares = turns.shares(limit)
    if (shares.length === 0) break
    const found = Map.groupBy(await claimer.seats(shares, Math.min(limit, suspectLimit)), nameOf)
    const dealt = turns.deal(shares, found, suspectLimit)
    const { passed, shutOut } = await claimer.pass(dealt)
    const started = await claimer.start(passed)
    for (const [i, job] of passed.entries()) taken.push({ job, started: started[i] as Started })
    turns.note(passed.map(nameOf))
    // Others stand behind those that were shut out, or have got room by that. Where nobody was, who got less has no more.
    if (shutOut.length === 0) turns.leave(shortOf(shares, passed.map(nameOf)))
    limit -= passed.length
    suspectLimit -= passed.filter(({ isSuspect }) => isSuspect).length
  }
  return turns.inOrder(taken, ({ job }) => nameOf(job)).map(({ started }) => started)
}

/** Who got fewer jobs than its share. */
function shortOf(shares: readonly Share[], passed: readonly string[]): readonly string[] {
  const counts = Map.groupBy(passed, (name) => name)
  return shares.filter(({ of, count }) => (counts.get(of)?.length ?? 0) < count).map(({ of }) => of)
}

/** Lets those take part who are known from the beginning, and tells where the others are to be found. */
async function begin(turns: Turns, { paths, fairness }: CheckedClaim, claimer: Namespaces): Promise<NamespaceScan> {
  if (fairness === null) turns.join([everybody])
  else if (paths !== null) turns.join(await claimer.readyAmong(around(namespacesOf(paths), fairness.after)))
  const isKnown = fairness === null || paths !== null
  return new NamespaceScan(claimer, isKnown ? [] : rangesAround(fairness.after))
}

function namespacesOf(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => JobName.parse(path).namespace))].sort()
}

/** From the one after whoever had the last turn around to that one. */
function around(namespaces: readonly string[], last: string | null): readonly string[] {
  if (last === null) return namespaces
  return [...namespaces.filter((name) => name > last), ...namespaces.filter((name) => name <= last)]
}

function rangesAround(last: string | null): readonly NamespaceRange[] {
  const all = { after: '', until: null }
  return last === null
    ? [all]
    : [
        { ...all, after: last },
        { ...all, until: last },
      ]
}

/** Namespaces, as many as are needed and no more: there may be very many. */
class NamespaceScan {
  readonly #claimer: Namespaces
  #ranges: readonly NamespaceRange[]

  constructor(claimer: Namespaces, ranges: readonly NamespaceRange[]) {
    this.#claimer = claimer
    this.#ranges = ranges
  }

  async next(count: number): Promise<readonly string[]> {
    const found: string[] = []
    for (
      let [range, ...later] = this.#ranges;
      range !== undefined && found.length < count;
      [range, ...later] = this.#ranges
    ) {
      const wanted = count - found.length
      const page = await this.#claimer.namespaces(range, wanted)
      found.push(...page)
      const last = page.at(-1)
      this.#ranges = page.length < wanted || last === undefined ? later : [{ ...range, after: last }, ...later]
    }
    return found
  }
}

/**
 * A branch below a namespace with no more live jobs than that is looked through by name. In a larger one a claim goes along
 * the queue of the whole namespace, past all that is not in the branch.
 */
export const fewJobs = 1_000

/** The branches that a share may be taken from; null where it is all that the types of the claim have. */
export function branchesOf({ paths }: CheckedClaim, { of }: Share): readonly Branch[] | null {
  if (paths === null) return of === everybody ? null : [{ namespace: of, path: null }]
  const branches = paths.map((path): Branch => {
    const name = JobName.parse(path)
    return { namespace: name.namespace, path: name.isRoot ? null : path }
  })
  return of === everybody ? branches : branches.filter(({ namespace }) => namespace === of)
}
