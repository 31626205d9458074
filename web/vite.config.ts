import { join } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const client = join(import.meta.dirname, '../src/client/index.ts')

export default defineConfig({
  root: import.meta.dirname,
  // What it loads is named relative to itself, so it works under any base path.
  base: './',
  plugins: [react(), tailwind()],
  resolve: { alias: [{ find: /^stint\/client$/, replacement: client }] },
  worker: { format: 'es' },
  build: {
    outDir: join(import.meta.dirname, '../dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // The policy of its page allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
