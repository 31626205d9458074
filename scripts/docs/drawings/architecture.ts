import type { Drawing } from './drawing.ts'

/** Processes and the one database between them. */
export const architecture: Drawing = {
  title: 'One database, any number of processes',
  width: 860,
  height: 430,
  boxes: [
    { at: [30, 56], size: [180, 60], lines: ['browser', 'the dashboard'], kind: 'quiet' },
    { at: [240, 56], size: [180, 60], lines: ['stint', 'the command line'], kind: 'quiet' },
    { at: [450, 56], size: [180, 60], lines: ['other languages', 'workers over HTTP'], kind: 'quiet' },
    { at: [660, 56], size: [170, 60], lines: ['your receivers', 'signed webhooks'], kind: 'quiet' },
    {
      at: [30, 186],
      size: [250, 84],
      lines: ['your program', 'createStint, submit', 'a worker in it, if you like'],
      kind: 'own',
    },
    {
      at: [305, 186],
      size: [250, 84],
      lines: ['server', '/v1, the live stream, /metrics', 'runs no jobs of yours'],
      kind: 'own',
    },
    {
      at: [580, 186],
      size: [250, 84],
      lines: ['workers', 'claim, run, renew their lease', 'rescue, schedules, retention'],
      kind: 'own',
    },
    {
      at: [30, 330],
      size: [800, 76],
      lines: [
        'SQLite file or PostgreSQL 15+',
        'the log of events, append-only · jobs, derived from it · seats in the queue · runs and their logs',
        'no leader, no broker, no other service',
      ],
      kind: 'good',
    },
  ],
  arrows: [
    {
      path: [
        [120, 116],
        [120, 150],
        [350, 150],
        [350, 186],
      ],
    },
    {
      path: [
        [400, 116],
        [400, 186],
      ],
    },
    {
      path: [
        [500, 116],
        [500, 186],
      ],
    },
    {
      path: [
        [530, 186],
        [530, 150],
        [745, 150],
        [745, 116],
      ],
      isDashed: true,
    },
    {
      path: [
        [155, 270],
        [155, 330],
      ],
    },
    {
      path: [
        [430, 270],
        [430, 330],
      ],
    },
    {
      path: [
        [705, 270],
        [705, 330],
      ],
    },
  ],
  notes: [
    { at: [167, 306], text: 'one transaction a step' },
    { at: [442, 306], text: 'the same steps' },
    { at: [717, 306], text: 'the same steps' },
  ],
}
