import { numberText } from '../../ui/number.tsx'

/** How much is done, of how much if that is known. */
export function ProgressLine({ done, total }: { readonly done: number; readonly total: number | null }) {
  const share = total === null || total <= 0 ? null : Math.min(1, done / total)
  return (
    <div className="mt-2 flex items-center gap-3">
      <div
        role="progressbar"
        aria-label="Progress"
        aria-valuenow={share === null ? undefined : Math.round(share * 100)}
        className="bg-line h-1 w-64 overflow-hidden"
      >
        {share !== null && <div className="bg-run h-full" style={{ width: `${share * 100}%` }} />}
      </div>
      <span className="text-ink-2 text-[12px]">
        {numberText(done)}
        {total !== null && ` of ${numberText(total)}`}
      </span>
    </div>
  )
}
