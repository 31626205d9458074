import type { Drawing } from './drawing.ts'

/** From submit to its end: what the API shows as status and outcome. */
export const jobLife: Drawing = {
  title: 'The life of a job',
  width: 900,
  height: 440,
  boxes: [
    {
      at: [30, 90],
      size: [210, 84],
      lines: ['QUEUED', 'state initial, attempt 0', 'waits for a gate or a worker'],
      kind: 'own',
    },
    {
      at: [350, 90],
      size: [220, 84],
      lines: ['RUNNING', 'an attempt is open', 'a worker has it, or it awaits'],
      kind: 'own',
    },
    { at: [350, 290], size: [220, 84], lines: ['QUEUED', 'state error', 'the next attempt is due later'], kind: 'own' },
    { at: [730, 60], size: [150, 56], lines: ['COMPLETED', 'with a result'], kind: 'good' },
    { at: [730, 144], size: [150, 56], lines: ['FAILED', 'for good'], kind: 'bad' },
    { at: [730, 228], size: [150, 56], lines: ['CANCELLED', 'with all below it'], kind: 'plain' },
    { at: [730, 340], size: [150, 56], lines: ['SKIPPED', 'it never ran'], kind: 'plain' },
  ],
  arrows: [
    {
      path: [
        [135, 52],
        [135, 90],
      ],
    },
    {
      path: [
        [240, 132],
        [350, 132],
      ],
    },
    {
      path: [
        [570, 112],
        [620, 88],
        [730, 88],
      ],
    },
    {
      path: [
        [570, 148],
        [620, 172],
        [730, 172],
      ],
    },
    {
      path: [
        [410, 174],
        [410, 290],
      ],
    },
    {
      path: [
        [500, 290],
        [500, 174],
      ],
    },
    {
      path: [
        [640, 256],
        [730, 256],
      ],
      isDashed: true,
    },
    {
      path: [
        [135, 174],
        [135, 412],
        [640, 412],
        [640, 368],
        [730, 368],
      ],
      isDashed: true,
    },
  ],
  notes: [
    { at: [147, 66], text: 'submit' },
    { at: [295, 108], text: 'a worker', anchor: 'middle' },
    { at: [295, 124], text: 'claims it', anchor: 'middle' },
    { at: [632, 80], text: 'returns' },
    { at: [632, 164], text: 'no try is left' },
    { at: [632, 240], text: 'from any' },
    { at: [632, 276], text: 'of the three' },
    { at: [398, 222], text: 'fails, times out, is lost', anchor: 'end' },
    { at: [398, 238], text: 'or is given back', anchor: 'end' },
    { at: [512, 232], text: 'claimed again' },
    { at: [147, 404], text: 'its time is over, or its turn was another’s' },
  ],
}
