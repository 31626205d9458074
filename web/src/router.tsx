import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router'
import { base } from './data/base.ts'
import { pages } from './pages/pages.ts'
import { NotFound } from './shell/not-found.tsx'
import { PageError } from './shell/page-error.tsx'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const routes = pages.map(({ path, load }) => {
  return createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load) })
})

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: base,
  // Values in addresses are text and nothing else.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
})
