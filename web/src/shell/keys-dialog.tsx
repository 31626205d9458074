import { pages } from '../pages/pages.ts'
import { Dialog, DialogBody } from '../ui/dialog.tsx'

const general: readonly (readonly [string, string])[] = [
  ['⌘ K, Ctrl K', 'Go anywhere, do anything'],
  ['/', 'Search on this page'],
  ['?', 'These keys'],
  ['Esc', 'Close what is open'],
]

const tables: readonly (readonly [string, string])[] = [
  ['j, ↓', 'Next row'],
  ['k, ↑', 'Row before'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['Home, End', 'First and last row'],
]

const cells: readonly (readonly [string, string])[] = [
  ['← → ↑ ↓', 'Next task'],
  ['Space, x', 'Select the task'],
  ['Shift + arrow, click', 'Select all up to there'],
  ['Ctrl, ⌘ + click', 'Select one more'],
  ['Esc', 'Select none'],
]

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const going = pages.flatMap(({ key, label }) => (key === undefined ? [] : [[`g ${key}`, label] as const]))
  return (
    <Dialog title="Keys" onClose={onClose}>
      <DialogBody>
        <div className="grid grid-cols-2 gap-8">
          <div className="space-y-4">
            <Keys title="Everywhere" rows={general} />
            <Keys title="In a table" rows={tables} />
            <Keys title="In the tasks of a job that is over" rows={cells} />
          </div>
          <Keys title="Go to" rows={going} />
        </div>
      </DialogBody>
    </Dialog>
  )
}

function Keys({ title, rows }: { readonly title: string; readonly rows: readonly (readonly [string, string])[] }) {
  return (
    <div>
      <h3 className="text-ink-3 mb-1 text-[12px]">{title}</h3>
      <dl>
        {rows.map(([key, what]) => (
          <div key={key} className="border-line flex items-center justify-between border-b py-1">
            <dt>{what}</dt>
            <dd>
              <kbd className="text-ink-2">{key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
