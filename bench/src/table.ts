/** One line of the result: a figure of ours beside Java's, and the ratio that the project promises. */
export interface Row {
  readonly workload: string
  readonly metric: string
  readonly ours: number
  /** The other's figure; undefined where there is nothing to compare with (an absolute promise). */
  readonly theirs?: number
  readonly against?: string
  /** What the ratio (or, without `theirs`, our figure) must be. */
  readonly target?: { readonly atLeast?: number; readonly atMost?: number }
  readonly unit: string
}

export function ratioOf(row: Row): number {
  return row.theirs === undefined ? row.ours : row.ours / row.theirs
}

export function verdict(row: Row): string {
  if (!row.target) return ''
  const value = ratioOf(row)
  const met =
    (row.target.atLeast === undefined || value >= row.target.atLeast) &&
    (row.target.atMost === undefined || value <= row.target.atMost)
  return met ? 'met' : 'missed'
}

function figure(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US')
  if (value >= 10) return value.toFixed(1)
  return value.toFixed(value >= 1 ? 2 : 3)
}

/** A Markdown table, so that it can be read in a terminal and pasted into the README. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map(row => [
    row.workload,
    `${row.metric}, ${row.unit}`,
    figure(row.ours),
    row.theirs === undefined ? '' : `${figure(row.theirs)}${row.against ? ` (${row.against})` : ''}`,
    row.theirs === undefined ? '' : `${ratioOf(row).toFixed(2)}x`,
    row.target
      ? [row.target.atLeast && `>= ${row.target.atLeast}`, row.target.atMost && `<= ${row.target.atMost}`]
          .filter(Boolean)
          .join(' ')
      : '',
    verdict(row),
  ])
  const lines = [['workload', 'metric', 'ours', 'other', 'ratio', 'target', ''], ...cells]
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0))) ?? []
  const render = (line: string[]) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`
  return [render(lines[0] ?? []), rule, ...lines.slice(1).map(render)].join('\n')
}
