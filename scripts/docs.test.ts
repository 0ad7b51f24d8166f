/** The documents name files; a file that was renamed must not live on in them. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map(name => relative(root, join(directory, name)))
    .filter(name => !/(^|\/)(node_modules|dist|dist-test|target)(\/|$)/.test(name))
}

const files = ['packages', 'test', 'scripts', 'bench', 'fuzz', 'examples'].flatMap(name => filesBelow(join(root, name)))

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...filesBelow(join(root, 'docs')).filter(name => name.endsWith('.md')),
  ...readdirSync(join(root, 'packages')).map(name => `packages/${name}/README.md`),
]

/** Names of source files in backquotes: `frame.ts`, `store: commit-log/tail.ts`, `interop:mqadmin.test.ts`. */
function* sourceNames(text: string): Generator<string> {
  for (const [, quoted = ''] of text.matchAll(/`([^`\n]+)`/g)) {
    const name = quoted.replace(/^\w+:\s*/, '')
    if (/^[\w./*-]+\.ts$/.test(name)) yield name
  }
}

/** True when some file's path ends so; `*` stands for any part of a name. */
function isKnown(name: string): boolean {
  const pattern = name.replace(/[.]/g, '\\.').replaceAll('*', '[^/]*')
  const expression = new RegExp(`(^|/)${pattern}$`)
  return files.some(file => expression.test(file))
}

describe('the documents', () => {
  for (const document of documents) {
    const text = readFileSync(join(root, document), 'utf8')

    it(`${document} names source files that exist`, () => {
      const unknown = [...sourceNames(text)].filter(name => !isKnown(name))
      assert.deepEqual(unknown, [])
    })

    it(`${document} links to files that exist`, () => {
      const base = dirname(join(root, document))
      const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(match => match[1] ?? '')
      const broken = links.filter(link => !/^[a-z]+:/.test(link) && !existsSync(resolve(base, link)))
      assert.deepEqual(broken, [])
    })
  }
})

/** Fields of the interface `name` in the source file `path`. */
function fieldsOf(path: string, name: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const start = text.indexOf(`export interface ${name} `)
  assert.ok(start >= 0, `${path} has no ${name}`)
  const body = text.slice(start, text.indexOf('\n}', start))
  return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(match => match[1] ?? '')
}

describe('docs/client.md', () => {
  const document = readFileSync(join(root, 'docs/client.md'), 'utf8')
  for (const [path, name] of [
    ['options.ts', 'ClientOptions'],
    ['producer/producer-options.ts', 'ProducerOptions'],
    ['push-consumer/options.ts', 'PushConsumerOptions'],
    ['pull-consumer/options.ts', 'PullConsumerOptions'],
  ] as const) {
    it(`lists every field of ${name}`, () => {
      const fields = fieldsOf(`packages/client/src/${path}`, name)
      assert.ok(fields.length > 5)
      assert.deepEqual(
        fields.filter(field => !document.includes(`\`${field}\``)),
        [],
      )
    })
  }
})
