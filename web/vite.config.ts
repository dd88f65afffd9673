import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

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

/** The font of nearly all text is asked for beside the styles that name it, so that words seldom change their look. */
function fontPreload(): Plugin {
  return {
    name: 'font-preload',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => /inter-latin-opsz-normal-.*\.woff2$/.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${file}` },
            injectTo: 'head',
          })),
    },
  }
}

export default defineConfig({
  plugins: [react(), tailwindcss(), previewPicture(), fontPreload()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { proxy: { '/v1': gateway } },
  build: {
    target: 'es2022',
    // Fonts and images stay files: the content policy allows no data: fonts.
    assetsInlineLimit: 0,
    manifest: true,
    // Where the browser does not know the hint, the chunks come one after the other.
    modulePreload: { polyfill: false },
  },
})
