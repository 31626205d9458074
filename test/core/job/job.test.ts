import { describe, expect, it } from 'vitest'
import { catalogue, eventIdOf, eventSchema, isReservedType } from '../../../src/core/job/events.ts'
import { moves, seatOf, statusOf } from '../../../src/core/job/job.ts'
import { awaiting, failedOnce, give, pending, queued, running, submit, t0 } from './jobs.ts'

describe('statusOf', () => {
  it.each([
    ['pending', pending(), 'QUEUED'],
    ['queued', queued(), 'QUEUED'],
    ['running', running(), 'RUNNING'],
    ['awaiting', awaiting(null), 'RUNNING'],
    ['in error', failedOnce(), 'QUEUED'],
    ['cancelled', give(queued(), { type: 'cancel', reason: 'x' }).job, 'CANCELLED'],
    ['skipped', submit({}, { skip: 'x' }).job, null],
    ['skipped as cancelled', give(queued(), { type: 'skip', reason: 'x', cancelled: true }).job, 'CANCELLED'],
  ])('of a job that is %s', (_where, job, status) => {
    expect(statusOf(job)).toBe(status)
  })
})

describe('seatOf', () => {
  it.each([
    ['pending', pending(), 'none'],
    ['running', running(), 'claim'],
    ['awaiting', awaiting(null), 'none'],
    ['final', submit({}, { skip: 'x' }).job, 'none'],
  ])('of a job that is %s', (_where, job, seat) => {
    expect(seatOf(job, t0 + 1_000_000)).toBe(seat)
  })

  it.each([
    ['queued', queued({ scheduledFor: t0 + 10 })],
    ['in error', { ...failedOnce(), scheduledFor: t0 + 10 }],
  ])('of a job that is %s follows its time, to the millisecond', (_where, job) => {
    expect(seatOf(job, t0 + 9)).toBe('delayed')
    expect(seatOf(job, t0 + 10)).toBe('ready')
  })
})

describe('moves', () => {
  it('are those of the design, and staying', () => {
    expect(moves).toEqual({
      initial: ['initial', 'running', 'final'],
      running: ['running', 'error', 'final'],
      error: ['error', 'running', 'final'],
      final: [],
    })
  })
})

describe('the catalogue', () => {
  it('has numbers that never change', () => {
    expect(catalogue).toEqual({
      'job.created': 1,
      'job.queued': 2,
      'job.edited': 3,
      'job.run.started': 4,
      'job.run.suspended': 5,
      'job.run.completed': 6,
      'job.run.failed': 7,
      'job.run.skipped': 8,
      'job.cancel.requested': 9,
      'job.cancelled': 10,
      'job.expired': 11,
      'job.held': 12,
      'job.run.resumed': 13,
      'job.run.planned': 14,
      'job.run.queued': 15,
      'task.slice.completed': 16,
      'task.slice.failed': 17,
    })
    expect(eventSchema).toBe(1)
  })

  it('is refused from outside, with all names that it may grow into', () => {
    for (const type of Object.keys(catalogue)) expect(isReservedType(type)).toBe(true)
    for (const type of [
      'job.future',
      'task.x',
      'slot.x',
      'group.x',
      'schedule.x',
      'template.x',
      'endpoint.x',
      'worker.x',
    ]) {
      expect(isReservedType(type)).toBe(true)
    }
    for (const type of ['job', 'jobs.done', 'my.job.done', 'paid', '']) expect(isReservedType(type)).toBe(false)
  })

  it('gives an event its id by job and version', () => {
    expect(eventIdOf({ jobId: 'p:d:n:job', version: 7 })).toBe('p:d:n:job.7')
  })
})
