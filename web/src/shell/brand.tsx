/** Three stints of work, one after the other. */
export function Brand() {
  return (
    <span className="inline-flex items-center gap-2">
      <svg aria-hidden="true" width="18" height="14" viewBox="0 0 18 14">
        <rect x="0" y="0" width="8" height="3.400" fill="currentColor" />
        <rect x="4.500" y="5.300" width="9.500" height="3.400" className="fill-run" />
        <rect x="11" y="10.600" width="7" height="3.400" fill="currentColor" />
      </svg>
      <span className="text-[15px] font-semibold tracking-[-0.01em]">Stint</span>
    </span>
  )
}
