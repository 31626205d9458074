import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../data/session.tsx'
import { PathLink } from '../../ui/path-link.tsx'

/** The template that a schedule makes jobs of, by its path. All are read at once: rows ask for the same. */
export function TemplateName({ id }: { readonly id: string }) {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['templates', 'paths'],
    queryFn: async () => {
      const { items } = await client.templates.list({ all: true, limit: 1_000 })
      return new Map(items.map((template) => [template.id, template.path]))
    },
    staleTime: 60_000,
  })
  return <PathLink to="/templates" id={id} path={data?.get(id) ?? 'a template'} />
}
