import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, minifySync, transformWithOxc, type Plugin } from 'vite'
import { chunkGroups } from './chunk-groups.ts'
import { withOperator } from './prerender/operator.ts'
import example from './src/testing/operator.json' with { type: 'json' }

const gateway = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080'

/** A preview picture needs a full address: it is there when the build knows where the product will live. */
function previewPicture(): Plugin {
  const { PUBLIC_URL } = process.env
  return {
    name: 'preview-picture',
    transformIndexHtml: () =>
      PUBLIC_URL
        ? [{ tag: 'meta', attrs: { property: 'og:image', content: new URL('/og.png', PUBLIC_URL).href }, injectTo: 'head' }]
        : [],
  }
}

/** During development, an example stands where the gateway writes the operator. */
function operator(): Plugin {
  return {
    name: 'operator',
    apply: 'serve',
    transformIndexHtml: (html) => withOperator(html, example),
  }
}

/** The script that every page has in its head: no file of its own, for which the first paint would wait. */
function boot(): Plugin {
  const file = fileURLToPath(new URL('./prerender/boot.ts', import.meta.url))
  return {
    name: 'boot',
    transformIndexHtml: {
      order: 'post',
      handler: async () => {
        const { code } = await transformWithOxc(readFileSync(file, 'utf8'), file, { sourcemap: false })
        return [{ tag: 'script', children: minifySync(file, `(()=>{${code}})()`).code, injectTo: 'head' }]
      },
    },
  }
}

/** Says which file has a module: Vite's manifest names only the files that have a single entry. */
function modules(): Plugin {
  const root = fileURLToPath(new URL('.', import.meta.url))
  return {
    name: 'modules',
    applyToEnvironment: ({ name }) => name === 'client',
    generateBundle(_, bundle) {
      const files = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? file.moduleIds.filter((id) => id.startsWith(`${root}src/`)).map((id) => [id.slice(root.length), file.fileName]) : [],
      )
      this.emitFile({ type: 'asset', fileName: '.vite/modules.json', source: JSON.stringify(Object.fromEntries(files)) })
    },
  }
}

export default defineConfig({
  plugins: [react(), tailwindcss(), previewPicture(), operator(), boot(), modules()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { proxy: { '/v1': gateway } },
  build: {
    rolldownOptions: {
      input: { page: 'index.html', app: 'src/app/client.tsx', fonts: 'src/app/fonts.css' },
      // The script in a page's head calls what the app exports.
      preserveEntrySignatures: 'allow-extension',
      output: { codeSplitting: { groups: chunkGroups } },
    },
    target: 'es2022',
    // What Tailwind needs: older browsers would take a copy of each colour, and show nothing right.
    cssTarget: ['chrome111', 'safari16.4', 'firefox128'],
    // Fonts and images stay files: the content policy allows no data: fonts.
    assetsInlineLimit: 0,
    manifest: true,
    // Where the browser does not know the hint, the chunks come one after the other.
    modulePreload: { polyfill: false },
  },
})
