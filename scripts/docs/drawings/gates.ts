import type { Drawing } from './drawing.ts'

const gate = (i: number, name: string, words: string) => {
  return { at: [200, 56 + i * 50], size: [220, 42], lines: [name, words], kind: 'plain' } as const
}

/** What may keep a job from starting, and what a worker looks at: only what may start. */
export const gates: Drawing = {
  title: 'Gates: a worker only meets jobs that may start',
  width: 860,
  height: 370,
  boxes: [
    { at: [20, 164], size: [110, 60], lines: ['submit', 'and durable'], kind: 'own' },
    gate(0, 'time', 'scheduledFor, backoff'),
    gate(1, 'slots', 'values that are to come'),
    gate(2, 'group', 'its seal, its turn, its width'),
    gate(3, 'name', 'the job that it replaces'),
    gate(4, 'pause', 'of its branch or type'),
    gate(5, 'limit', 'at once, or in a time'),
    {
      at: [500, 150],
      size: [150, 88],
      lines: ['ready', 'highest priority', 'then position', 'then age'],
      kind: 'own',
    },
    { at: [730, 164], size: [110, 60], lines: ['worker', 'takes its head'], kind: 'good' },
  ],
  arrows: [
    {
      path: [
        [130, 194],
        [165, 194],
        [165, 77],
        [200, 77],
      ],
      isDashed: true,
    },
    {
      path: [
        [130, 194],
        [165, 194],
        [165, 327],
        [200, 327],
      ],
      isDashed: true,
    },
    {
      path: [
        [420, 77],
        [460, 77],
        [460, 194],
        [500, 194],
      ],
      isDashed: true,
    },
    {
      path: [
        [420, 327],
        [460, 327],
        [460, 194],
        [500, 194],
      ],
      isDashed: true,
    },
    {
      path: [
        [650, 194],
        [730, 194],
      ],
    },
  ],
  notes: [
    { at: [20, 250], text: 'no gate is shut:' },
    { at: [20, 266], text: 'ready at once' },
    { at: [500, 262], text: 'The event that opens the last' },
    { at: [500, 278], text: 'gate puts the job here. Nobody' },
    { at: [500, 294], text: 'polls what waits.' },
  ],
}
