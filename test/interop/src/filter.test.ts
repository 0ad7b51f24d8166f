/** SQL92 against Java's evaluator, expression by expression, and Java's consumer with our broker's filter. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { compileSelection, type Selection } from '@rocketmq-ts/filter'
import { type Random, RocketMqError, seededRandom } from '@rocketmq-ts/runtime'
import {
  javaClassPath,
  propertiesText,
  startJava,
  startOurStandalone,
  temporaryDirectory,
} from '../../peers/dist/index.js'
import { eventually, skipWithoutJava } from './setup.ts'

const skip = { skip: skipWithoutJava }

interface Question {
  readonly sql: string
  readonly properties: Record<string, string>
}

/** What Java says to each question. */
async function askJava(questions: readonly Question[]): Promise<string[]> {
  const child = spawn('java', ['-Xmx256m', '-cp', javaClassPath(), 'JavaPeer', 'filter-eval'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stdin.end(questions.map(question => `${JSON.stringify(question)}\n`).join(''))
  const code = await new Promise(resolve => child.on('close', resolve))
  assert.equal(code, 0)
  return output.trimEnd().split('\n')
}

const verdictNames = ['FALSE', 'TRUE', 'NULL', 'ERROR']

/** What we say. */
function judge({ sql, properties }: Question): string {
  let selection: Selection
  try {
    selection = compileSelection(sql)
  } catch (error) {
    assert.ok(RocketMqError.is(error), `${sql}: ${error}`)
    return 'REFUSED'
  }
  return verdictNames[selection.judge(new Map(Object.entries(properties)))]!
}

async function assertSame(questions: readonly Question[]): Promise<Map<string, number>> {
  const java = await askJava(questions)
  assert.equal(java.length, questions.length)
  const counts = new Map<string, number>()
  const different: string[] = []
  for (const [i, question] of questions.entries()) {
    const ours = judge(question)
    counts.set(ours, (counts.get(ours) ?? 0) + 1)
    if (ours !== java[i]) different.push(`${JSON.stringify(question)}: Java ${java[i]}, we ${ours}`)
  }
  assert.deepEqual(different.slice(0, 20), [])
  return counts
}

/** Writes expressions by chance: most well-formed, all with operands of kinds that may not suit. */
class Writer {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random.next() * from.length)]!
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability
  }

  expression(depth: number): string {
    if (depth <= 0 || this.chance(0.4)) return this.predicate(depth)
    const form = this.pick(['and', 'or', 'not', 'brackets', 'and', 'or'])
    if (form === 'not')
      return `${this.word('NOT')} ${this.chance(0.8) ? `(${this.expression(depth - 1)})` : this.operand()}`
    if (form === 'brackets') return `(${this.expression(depth - 1)})`
    return `${this.expression(depth - 1)} ${this.word(form)} ${this.expression(depth - 1)}`
  }

  predicate(depth: number): string {
    const left = this.chance(0.8) ? this.name() : this.chance(0.2) ? `(${this.expression(depth - 1)})` : this.operand()
    const not = this.chance(0.4) ? `${this.word('NOT')} ` : ''
    switch (this.pick(['compare', 'compare', 'equal', 'equal', 'between', 'in', 'null', 'text', 'alone', 'chain'])) {
      case 'compare':
        return `${left} ${this.pick(['<', '<=', '>', '>='])} ${this.chance(0.8) ? this.number() : this.operand()}`
      case 'equal':
        return `${left} ${this.pick(['=', '<>'])} ${this.operand()}`
      case 'between': {
        const low = this.chance(0.8) ? this.number() : this.operand()
        const high = this.chance(0.8) ? this.number() : this.operand()
        return `${left} ${not}${this.word('BETWEEN')} ${low} ${this.word('AND')} ${high}`
      }
      case 'in': {
        const values = Array.from({ length: 1 + Math.floor(this.#random.next() * 7) }, () => this.text())
        if (this.chance(0.05)) values.push('5')
        return `${left} ${not}${this.word('IN')} (${values.join(', ')})`
      }
      case 'null':
        return `${left} ${this.word('IS')} ${not}${this.word('NULL')}`
      case 'text':
        return `${left} ${not}${this.word(this.pick(['CONTAINS', 'STARTSWITH', 'ENDSWITH']))} ${this.text()}`
      case 'chain':
        return `${left} = ${this.operand()} ${this.pick(['=', '<>', '<'])} ${this.operand()}`
      default:
        return left
    }
  }

  operand(): string {
    switch (this.pick(['name', 'number', 'text', 'truth', 'minus', 'plus'])) {
      case 'name':
        return this.name()
      case 'number':
        return this.number()
      case 'text':
        return this.text()
      case 'truth':
        return this.word(this.pick(['TRUE', 'FALSE', 'NULL']))
      case 'minus':
        return `-${this.chance(0.7) ? this.number() : this.operand().replace(/^-/, '- ')}`
      default:
        return `+ ${this.operand()}`
    }
  }

  name(): string {
    return this.pick(['a', 'b', 'c', '_x', '$y', 'A1', 'absent', 'TAGS'])
  }

  number(): string {
    return this.pick(numbers)
  }

  text(): string {
    return `'${this.pick(values).replaceAll("'", "''")}'`
  }

  word(word: string): string {
    return this.pick([word.toUpperCase(), word.toLowerCase(), word[0]!.toUpperCase() + word.slice(1).toLowerCase()])
  }

  properties(): Record<string, string> {
    const properties: Record<string, string> = {}
    for (const name of ['a', 'b', 'c', '_x', '$y', 'A1', 'TAGS']) {
      if (this.chance(0.75)) properties[name] = this.chance(0.6) ? this.pick(numericValues) : this.pick(values)
    }
    return properties
  }
}

const numbers = (
  '0 1 2 5 10 3l 7L 2147483647 2147483648 4294967296 9007199254740993 9223372036854775807 9223372036854775808 ' +
  '1.0 1.5 5. .5 2.5e0 1e1 5E-1 1e308 1e309 1e-400 0.0 4.9e-324 9.223372036854775807e18 9007199254740992.0 007 5l'
).split(' ')
const numericValues = (
  '0 1 2 5 10 -1 -5 +5 3 7 2147483647 2147483648 -2147483648 -2147483649 9007199254740992 9007199254740993 ' +
  '9223372036854775807 -9223372036854775808 9223372036854775808 1.0 1.5 -0.0 0.5 1e1 10.0 5d 5f NaN Infinity'
).split(' ')
const values = [
  ...['', 'a', 'abc', 'b', 'true', 'TRUE', 'True', 'false', 'x', "it's", ' 5', '5 ', '+', '-', '1_0', '0x10', '0x1p3'],
  ...[
    '-0x1.8P-1',
    '0x.8p0d',
    '-Infinity',
    '+NaN',
    '-NaN',
    '5.5.5',
    '1e',
    '.',
    '5L',
    '٣',
    '۵',
    '中文',
    '😀',
    '\t7\n',
    '00012',
  ],
  ...['123456789012345678901234567890', '-00000000000000000000005', '1e400', '-1e-400', 'tru', 'null', '١٢.٥'],
]

test('what Java refuses we refuse, and every verdict is the same, over generated expressions', skip, async () => {
  const writer = new Writer(seededRandom(20240817))
  const questions: Question[] = []
  for (let i = 0; i < 4000; i++) {
    const sql = writer.expression(writer.pick([0, 1, 2, 3]))
    for (let j = 0; j < 3; j++) questions.push({ sql, properties: writer.properties() })
  }
  const counts = await assertSame(questions)
  // Each outcome is met often enough to mean something.
  for (const outcome of ['REFUSED', ...verdictNames])
    assert.ok((counts.get(outcome) ?? 0) > 100, `${outcome}: ${counts.get(outcome)}`)
})

test('every pair of values and numbers compares as in Java', skip, async () => {
  const questions: Question[] = []
  for (const value of [...numericValues, ...values]) {
    for (const number of numbers) {
      for (const sign of ['=', '>=', '<']) {
        questions.push({ sql: `a ${sign} ${number}`, properties: { a: value } })
        questions.push({ sql: `-${number} ${sign} a`, properties: { a: value } })
      }
    }
    for (const other of [...numericValues, ...values]) {
      questions.push({ sql: 'a = b', properties: { a: value, b: other } })
      questions.push({ sql: 'a <= b', properties: { a: value, b: other } })
    }
    questions.push({ sql: 'a = TRUE', properties: { a: value } }, { sql: 'FALSE <> a', properties: { a: value } })
  }
  await assertSame(questions)
})

const pieces = [
  ...[
    'a',
    'b',
    'NOT',
    'AND',
    'OR',
    'BETWEEN',
    'IN',
    'TRUE',
    'NULL',
    'IS',
    'CONTAINS',
    'STARTSWITH',
    '(',
    ')',
    ',',
    '+',
    '-',
  ],
  ...[
    '=',
    '<>',
    '<',
    '>=',
    '1',
    '2.5',
    '0',
    '5l',
    "'x'",
    "''",
    "'",
    '"',
    '.',
    ';',
    '*',
    '/',
    '/* c */',
    '/*',
    '-- c\n',
    '--',
  ],
  ...[
    '\t',
    '\n',
    '\f',
    '\v',
    '\u00a0',
    'é',
    'ſ',
    'K',
    '😀',
    '1e',
    'e5',
    '$',
    '!=',
    '==',
    'a.b',
    '/**/',
    '/***/',
    '-- c\r\n',
  ],
]

test('what is no expression at all is refused or cut off where Java does it', skip, async () => {
  const writer = new Writer(seededRandom(7))
  const questions: Question[] = [{ sql: '', properties: {} }]
  for (let i = 0; i < 6000; i++) {
    const start = writer.chance(0.6) ? writer.pick(['a = 1', 'a IS NULL', "b IN ('x')", 'a', 'NOT a']) : ''
    const rest = Array.from({ length: 1 + (i % 5) }, () => writer.pick(pieces))
    questions.push({ sql: [start, ...rest].join(writer.pick(['', ' '])), properties: { a: '1', b: 'x' } })
  }
  await assertSame(questions)
})

test('a Java consumer gets from our broker what its expression selects, and a wrong one is refused', skip, async () => {
  const home = temporaryDirectory('filter')
  const configFile = `${home.path}/filter.conf`
  writeFileSync(configFile, propertiesText({ enablePropertyFilter: true }))
  const ours = await startOurStandalone(`${home.path}/store`, { configFile })
  const javaClient = (args: string[], ready: RegExp) =>
    startJava('java client', 'JavaPeer', [...args, `namesrv=${ours.namesrv}`], { home: home.path, ready })
  const produce = (prefix: string) => javaClient(['produce', 'topic=Sql', 'count=20', `prefix=${prefix}`], /done/)
  assert.equal(await (await produce('early')).exited, 0)
  const sql = "sql=number BETWEEN 5 AND 7 AND origin = 'java' OR number = 19"
  const consumer = await javaClient(['consume', 'topic=Sql', 'group=java-sql', sql], /started/)
  const bodies = () => [...consumer.text.matchAll(/^got (\S+)/gm)].map(match => match[1]!).sort()
  await eventually('the backlog is selected', () => bodies().length === 4)
  assert.equal(await (await produce('late')).exited, 0)
  await eventually('and what comes', () => bodies().length === 8)
  const selected = (prefix: string) => [19, 5, 6, 7].map(n => `${prefix}-${n}`)
  assert.deepEqual(bodies(), [...selected('early'), ...selected('late')])
  consumer.write('stop')
  await consumer.exited

  const refused = await startJava(
    'java client',
    'JavaPeer',
    ['consume', 'topic=Sql', 'group=java-wrong', 'sql=number > > 1', `namesrv=${ours.namesrv}`],
    { home: home.path },
  )
  assert.notEqual(await refused.exited, 0)
  assert.match(refused.text, /Invalid MessageSelector/)
  assert.equal(await ours.process.stop(), 0)
  home.dispose()
})
