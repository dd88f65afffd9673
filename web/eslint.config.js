import { readdirSync } from 'node:fs'
import js from '@eslint/js'
import reactHooks from 'eslint-plugin-react-hooks'
import globals from 'globals'
import tseslint from 'typescript-eslint'

const features = readdirSync(new URL('./src/features', import.meta.url))

/** shared <- features <- app. No feature imports another, but those of the back office share the feature `admin`. */
const borders = [
  {
    files: ['src/components/**', 'src/lib/**', 'src/content/**'],
    rules: forbid(['@/features/**', '@/app/**', '**/features/**'], 'Shared code knows no feature.'),
  },
  ...features.map((feature) => ({
    files: [`src/features/${feature}/**`],
    rules: forbid(
      ['@/app/**', ...features.filter((other) => !mayImport(feature, other)).flatMap((other) => [`@/features/${other}/**`, `**/../${other}/**`])],
      'A feature imports shared code and itself, never another feature or the app.',
    ),
  })),
]

function mayImport(feature, other) {
  return other === feature || (other === 'admin' && feature.startsWith('admin-'))
}

function forbid(group, message) {
  return { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] }
}

/** Classes that name a physical side. */
const SIDES = String.raw`/(^|[\s:])-?((scroll-)?[mp][lr]-|(left|right)-[\d\[]|text-(left|right)|border-[lr](-|\s|$)|rounded-[tb]?[lr](-|\s|$))/`

export default tseslint.config(
  { ignores: ['dist', 'screenshots', 'e2e/.results', 'src/lib/api-schema.d.ts'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
  { files: ['src/**/*.{ts,tsx}'], extends: [reactHooks.configs.flat.recommended], languageOptions: { globals: globals.browser } },
  { files: ['scripts/**', 'prerender/*.mjs', 'e2e/**/*.mjs', '*.js'], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
  ...borders,
  {
    files: ['src/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name=/^(Intersection|Resize)Observer$/] > :function > ArrayPattern',
          message: 'A batch holds several entries, and the newest counts: entries.at(-1).',
        },
        {
          selector: 'JSXOpeningElement[name.name=/^[uo]l$/] > JSXAttribute[name.name="role"]:not([value.value="list"])',
          message: 'A list with another role is no list, and its items stand in none: give the role to an element around it.',
        },
        {
          selector: `:matches(Literal[value=${SIDES}], TemplateElement[value.raw=${SIDES}])`,
          message: 'Start and end, not left and right: ms-, pe-, text-end, border-s, inset-e-.',
        },
      ],
    },
  },
)
