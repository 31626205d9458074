import { type LayoutRequest, layoutOf } from './layout.ts'

/** Lays out a graph away from the page, which stays quick however large the graph is. */
addEventListener('message', ({ data }: MessageEvent<{ readonly request: LayoutRequest; readonly number: number }>) => {
  postMessage({ layout: layoutOf(data.request), number: data.number })
})
