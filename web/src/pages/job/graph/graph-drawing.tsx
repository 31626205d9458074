import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Graph } from 'stint/client'
import { addressOf } from '../../../data/ids.ts'
import { cx } from '../../../ui/class-names.ts'
import { SlotIcon } from '../../../ui/icons.tsx'
import { Loading } from '../../../ui/states.tsx'
import { StatusMark, standingOf } from '../../../ui/status.tsx'
import { useWidth } from '../../../ui/use-width.ts'
import type { Layout } from './layout.ts'
import { useLayout } from './use-layout.ts'

type Slot = Graph['slots'][number]
type Job = Graph['jobs'][number]

const [nodeWidth, nodeHeight] = [196, 46]

/** Words are as small as they may be at this. */
const leastScale = 0.75

interface DrawingProps {
  readonly graph: Graph
  readonly own: string
  readonly onFill?: (slot: Slot) => void
}

/** Boxes where the layout says, lines between them behind. */
export function GraphDrawing(props: DrawingProps) {
  const { graph } = props
  const request = useMemo(() => {
    const ids = [...graph.jobs, ...graph.slots].map(({ id }) => id)
    const edges = graph.edges.map(({ from, to }) => ({ from, to }))
    return { nodes: ids.map((id) => ({ id, width: nodeWidth, height: nodeHeight })), edges }
  }, [graph])
  const layout = useLayout(request)
  const [room, width] = useWidth<HTMLDivElement>()
  // What is a little too wide is drawn a little smaller; what would be too small to be read is scrolled.
  const scale = layout === null || width === 0 ? 1 : Math.max(leastScale, Math.min(1, width / layout.width))
  return (
    <div ref={room}>
      {layout === null ? (
        <Loading />
      ) : (
        <div style={{ width: layout.width * scale, height: layout.height * scale }}>
          <Drawing {...props} layout={layout} scale={scale} />
        </div>
      )}
    </div>
  )
}

function Drawing(props: DrawingProps & { readonly layout: Layout; readonly scale: number }) {
  const { graph, own, layout, scale } = props
  // Whoever has returned the value of another has run, and holds no worker until that comes.
  const returning = new Set(graph.edges.filter(({ at }) => at === 'result').map(({ to }) => to))
  const placed = (id: string) => {
    const at = layout.nodes[id]
    return at === undefined
      ? null
      : { left: at.x - nodeWidth / 2, top: at.y - nodeHeight / 2, width: nodeWidth, height: nodeHeight }
  }
  return (
    <div
      className="relative origin-top-left"
      style={{ width: layout.width, height: layout.height, transform: `scale(${scale})` }}
    >
      <Edges layout={layout} graph={graph} />
      {graph.jobs.map((job) => {
        const place = placed(job.id)
        if (place === null) return null
        const isAwaiting = job.status === 'RUNNING' && returning.has(job.id)
        return <JobNode key={job.id} job={job} isOwn={job.id === own} isAwaiting={isAwaiting} place={place} />
      })}
      {graph.slots.map((slot) => {
        const place = placed(slot.id)
        return place === null ? null : (
          <SlotNode key={slot.id} slot={slot} place={place} {...(props.onFill && { onFill: props.onFill })} />
        )
      })}
    </div>
  )
}

function Edges({ layout, graph }: { readonly layout: Layout; readonly graph: Graph }) {
  const at = new Map(graph.edges.map((edge) => [`${edge.from} ${edge.to}`, edge.at]))
  return (
    <svg aria-hidden="true" className="absolute inset-0 overflow-visible" width={layout.width} height={layout.height}>
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0.500 7 4 0 7.500Z" className="fill-ink-3" />
        </marker>
      </defs>
      {layout.edges.map(({ from, to, points }) => (
        <path
          key={`${from} ${to}`}
          d={curveOf(fromSideToSide(points, layout.nodes[from], layout.nodes[to]))}
          className="stroke-ink-3 fill-none"
          strokeDasharray={at.get(`${from} ${to}`) === null ? '3 3' : undefined}
          markerEnd="url(#arrow)"
        />
      ))}
    </svg>
  )
}

interface Point {
  readonly x: number
  readonly y: number
}

/** Lines leave a box in the middle of its right side, and reach the next in the middle of its left. */
function fromSideToSide(points: readonly Point[], from: Point | undefined, to: Point | undefined): readonly Point[] {
  if (from === undefined || to === undefined) return points
  const between = points.slice(1, -1).filter(({ x }) => x > from.x + nodeWidth / 2 && x < to.x - nodeWidth / 2)
  // A line to the next column needs no points on its way.
  const isNear = to.x - from.x < nodeWidth * 2
  return [
    { x: from.x + nodeWidth / 2, y: from.y },
    ...(isNear ? [] : between),
    { x: to.x - nodeWidth / 2 - 1, y: to.y },
  ]
}

/** Smooth through the points that the layout gives. */
function curveOf(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  let path = `M${first.x} ${first.y}`
  let last = first
  for (const point of rest) {
    const middle = (last.x + point.x) / 2
    path += ` C${middle} ${last.y} ${middle} ${point.y} ${point.x} ${point.y}`
    last = point
  }
  return path
}

const box = 'absolute flex flex-col justify-center rounded-[3px] border bg-raise px-2.5 text-left'

function JobNode({
  job,
  isOwn,
  isAwaiting,
  place,
}: {
  readonly job: Job
  readonly isOwn: boolean
  readonly isAwaiting: boolean
  readonly place: React.CSSProperties
}) {
  const navigate = useNavigate()
  return (
    <button
      type="button"
      title={job.name}
      onClick={() => void navigate({ to: '/jobs/$job', params: { job: addressOf(job.id) } as never })}
      className={cx(box, isOwn ? 'border-ink' : 'border-line-strong hover:border-ink-3')}
      style={place}
    >
      <span className="block w-full truncate font-mono text-[12px]">
        {job.name.slice(job.name.lastIndexOf('/') + 1)}
      </span>
      <span className="flex items-center justify-between gap-2 text-[12px]">
        <StatusMark standing={isAwaiting ? 'awaiting' : standingOf(job)} />
        <span className="text-ink-3 truncate">{job.type}</span>
      </span>
    </button>
  )
}

const slotTones = { OPEN: 'text-warn', FILLED: 'text-ok', FAILED: 'text-fail' } as const

function SlotNode({
  slot,
  place,
  onFill,
}: {
  readonly slot: Slot
  readonly place: React.CSSProperties
  readonly onFill?: (slot: Slot) => void
}) {
  const isOpen = slot.status === 'OPEN' && onFill !== undefined
  return (
    <button
      type="button"
      disabled={!isOpen}
      title={slot.path}
      onClick={() => onFill?.(slot)}
      className={cx(box, 'border-line-strong border-dashed', isOpen && 'hover:border-ink-3')}
      style={place}
    >
      <span className="block w-full truncate font-mono text-[12px]">
        {slot.path.slice(slot.path.lastIndexOf('/') + 1)}
      </span>
      <span className={cx('flex items-center gap-1.5 text-[12px]', slotTones[slot.status])}>
        <SlotIcon size={12} />
        {slot.status === 'OPEN' ? (isOpen ? 'Open: fill …' : 'Open') : slot.status === 'FILLED' ? 'Filled' : 'Failed'}
      </span>
    </button>
  )
}
