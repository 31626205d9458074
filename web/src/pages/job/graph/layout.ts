import dagre from '@dagrejs/dagre'

/** What is laid out: the size of each node, and who leads to whom. */
export interface LayoutRequest {
  readonly nodes: readonly { readonly id: string; readonly width: number; readonly height: number }[]
  readonly edges: readonly { readonly from: string; readonly to: string }[]
}

export interface Layout {
  readonly width: number
  readonly height: number
  /** The middle of each node. */
  readonly nodes: Readonly<Record<string, { readonly x: number; readonly y: number }>>
  readonly edges: readonly {
    readonly from: string
    readonly to: string
    readonly points: readonly { x: number; y: number }[]
  }[]
}

/** From left to right, as the values go. */
export function layoutOf({ nodes, edges }: LayoutRequest): Layout {
  const graph = new dagre.graphlib.Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 56, marginx: 8, marginy: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height })
  for (const { from, to } of edges) if (graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to)
  dagre.layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    width,
    height,
    nodes: Object.fromEntries(graph.nodes().map((id) => [id, placeOf(graph.node(id))])),
    edges: graph.edges().map((edge) => {
      const { points } = graph.edge(edge) as { points: { x: number; y: number }[] }
      return { from: edge.v, to: edge.w, points }
    }),
  }
}

function placeOf(node: unknown): { x: number; y: number } {
  const { x, y } = node as { x: number; y: number }
  return { x, y }
}
