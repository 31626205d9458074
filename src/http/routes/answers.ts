import type { AnswerReference } from '../../engine/stint.ts'
import { type Route, route } from '../route.ts'
import { type AnswerTarget, completion, failure } from '../schemas/answers.ts'
import { job } from '../schemas/jobs.ts'
import { defined } from './common.ts'

const tag = 'Answers'

function referenceOf({ job: id, ...byKey }: AnswerTarget): AnswerReference {
  return id === undefined ? (defined(byKey) as AnswerReference) : { id }
}

export const answerRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/answers/complete',
    id: 'completeJob',
    tag,
    summary: 'Completes a job from outside. It must have started.',
    role: 'submit',
    body: completion,
    response: job,
    run: ({ stint, body: { result, ...target } }) => stint.complete(referenceOf(target), result),
  }),
  route({
    method: 'post',
    path: '/answers/fail',
    id: 'failJob',
    tag,
    summary: 'Fails an attempt from outside. The job is tried again as its policy says.',
    role: 'submit',
    body: failure,
    response: job,
    run: ({ stint, body: { error, ...target } }) => stint.fail(referenceOf(target), error),
  }),
]
