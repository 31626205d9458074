/** Says that there is more at the top, and moves nothing until it is pressed. */
export function NewPill(props: { readonly count: number; readonly isCapped: boolean; readonly onClick: () => void }) {
  if (props.count === 0) return null
  return (
    <button
      type="button"
      onClick={props.onClick}
      className="border-accent bg-accent text-on-accent absolute top-9 left-1/2 z-20 h-6 -translate-x-1/2 rounded-full border px-3 text-[12px] shadow"
    >
      {props.count}
      {props.isCapped ? '+' : ''} new
    </button>
  )
}
