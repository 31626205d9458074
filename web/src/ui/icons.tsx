import type { ReactNode } from 'react'

/** Drawn on a grid of 16, in the colour of the text around. They decorate: what they say stands beside them as text. */
function icon(drawing: ReactNode, className?: string) {
  return function Icon({ size = 14 }: { readonly size?: number }) {
    return (
      <svg
        aria-hidden="true"
        className={className ?? 'shrink-0'}
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        {drawing}
      </svg>
    )
  }
}

export const QueuedIcon = icon(<circle cx="8" cy="8" r="5.2" strokeDasharray="2.2 1.9" />)
export const RetryingIcon = icon(
  <>
    <path d="M12.9 9.4A5.2 5.2 0 1 1 12.2 5" />
    <path d="M12.6 2.2v3h-3" />
  </>,
)
export const RunningIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.2" opacity=".3" />
    <path className="turning" d="M8 2.8A5.2 5.2 0 0 1 13.2 8" />
  </>,
)
export const AwaitingIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.2" />
    <path d="M8 5v3l2 1.4" />
  </>,
)
export const CompletedIcon = icon(<path d="m3.2 8.6 3.1 3.1 6.5-7" />)
export const FailedIcon = icon(<path d="m4 4 8 8m0-8-8 8" />)
export const CancelledIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.2" />
    <path d="m4.4 11.6 7.2-7.2" />
  </>,
)
export const SkippedIcon = icon(<path d="m3 4.5 4.5 3.5L3 11.5Zm6 0L13.5 8 9 11.5Z" />)
export const PausedIcon = icon(<path d="M5.5 4v8m5-8v8" />)
export const ChevronIcon = icon(<path d="m6 4 4 4-4 4" />)
export const DownIcon = icon(<path d="m4 6 4 4 4-4" />)
export const MenuIcon = icon(<path d="M2.500 4h11m-11 4h11m-11 4h11" />)
export const CloseIcon = icon(<path d="m4.5 4.5 7 7m0-7-7 7" />)
export const CopyIcon = icon(
  <>
    <rect x="5.5" y="5.5" width="7.5" height="7.5" rx="1" />
    <path d="M10.5 5.5V4a1 1 0 0 0-1-1H4a1 1 0 0 0-1 1v5.500a1 1 0 0 0 1 1h1.500" />
  </>,
)
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4" />
    <path d="m10.2 10.200 3 3" />
  </>,
)
export const WarningIcon = icon(
  <>
    <path d="M8 2.500 14 13H2Z" />
    <path d="M8 6.500v3m0 1.900v.1" />
  </>,
)
export const FolderIcon = icon(<path d="M2.500 12.500v-9h4l1.500 2h5.500v7Z" />)
export const SlotIcon = icon(<path d="M8 2.500 13.500 8 8 13.500 2.500 8Z" />)
