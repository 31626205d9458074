/** Says that there is more at the top, and moves nothing until it is pressed. */
export function NewPill(props: { readonly count: number; readonly isCapped: boolean; readonly onClick: () => void }) {
  if (props.count === 0) return null
  return (
    <button
      type="button"
      onClick={props.onClick}
      className="border-accent bg-accent text-on-accent absolute -top-[29px] right-6 z-20 h-6 rounded-full border px-3 text-[12px]"
    >
      {props.count}
      {props.isCapped ? '+' : ''} new
    </button>
  )
}
