import { StintError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { JobName } from '../../core/names/job-name.ts'
import type { NewSlotInput } from '../../store/controls.ts'
import type { AnyJob, ResultOfJob, SubmitArguments } from '../handler.ts'
import type { SubmitOptions } from '../submit-options.ts'
import { Slot } from './slot.ts'
import { type DelayOptions, delayed, type SlotOptions } from './slots-api.ts'

/** A job of a pipeline. */
export interface Step<Result = Json> {
  /** Its name, relative to that of the pipeline. */
  readonly name: string
  /** Its result, when it has one. */
  readonly output: Slot<Result>
}

/** A job to be submitted with a pipeline, with the id that it will have. */
export interface PlannedJob {
  readonly id: string
  readonly job: AnyJob | string
  readonly params: unknown
  readonly options: SubmitOptions
}

/** What a builder needs to know of where its pipeline runs. */
export interface Ground {
  /** The name of the pipeline's job. */
  readonly name: string
  readonly newId: () => string
  /** The text of the SlotId that a UUID has there. */
  readonly idOf: (uuid: string) => string
  readonly now: () => number
}

/** Collects the jobs and slots of a pipeline. Nothing is made before the function that builds it has returned. */
export class PipelineBuilder {
  readonly #ground: Ground
  readonly #names = new Set<string>()
  readonly #jobs: PlannedJob[] = []
  readonly #slots: NewSlotInput[] = []

  constructor(ground: Ground) {
    this.#ground = ground
  }

  /** A job whose params may hold slots. It stands below the pipeline, by its type unless it is given a name. */
  run<Job extends AnyJob | string>(
    job: Job,
    ...[params, options = {}]: SubmitArguments<Job>
  ): Step<Job extends AnyJob ? ResultOfJob<Job> : Json> {
    const type = typeof job === 'string' ? job : job.type
    const name = this.#free(options.name ?? type, options.name !== undefined)
    const id = this.#ground.newId()
    this.#jobs.push({ id, job, params, options: { ...options, name } })
    return { name, output: this.#slot(id) }
  }

  /** A value that somebody outside is asked for: over the API, or a person. */
  promise<Value = Json>(name: string, { label }: SlotOptions = {}): Slot<Value> {
    return this.#add(this.#free(name, true), label === undefined ? {} : { label })
  }

  /** A slot that fills itself: after so many milliseconds, or at an instant. */
  delay<Value = null>(until: number | Date, options: DelayOptions = {}): Slot<Value> {
    const instant = typeof until === 'number' ? new Date(this.#ground.now() + until) : until
    return this.#add(this.#free('delay', false), delayed(instant, options))
  }

  /** What is to be made. */
  get plan(): { readonly jobs: readonly PlannedJob[]; readonly slots: readonly NewSlotInput[] } {
    return { jobs: this.#jobs, slots: this.#slots }
  }

  #add<Value>(name: string, about: Partial<NewSlotInput>): Slot<Value> {
    const id = this.#ground.newId()
    this.#slots.push({ id, path: JobName.parse(this.#ground.name).child(name).toWire(), ...about })
    return this.#slot(id)
  }

  #slot<Value>(id: string): Slot<Value> {
    return new Slot<Value>(this.#ground.idOf(id), id)
  }

  /** A name that nothing else of the pipeline has. One that was given is not changed. */
  #free(wanted: string, isGiven: boolean): string {
    let name = wanted
    for (let n = 2; this.#names.has(name); n++) {
      if (isGiven) throw new StintError('name_taken', `Two parts of the pipeline have the name ${name}.`, { name })
      name = `${wanted}-${n}`
    }
    this.#names.add(name)
    return name
  }
}
