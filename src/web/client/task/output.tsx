import { spaced } from '../format.ts'
import { Scrolling, Words } from '../ui.tsx'

interface OutputProps {
  readonly value: unknown
  /** Where it is in the output. */
  readonly pointer: string
  readonly sources: Readonly<Record<string, { readonly step: number }>>
  readonly ungrounded: readonly string[]
}

/** A value of the output: objects and lists of objects as tables, each value with the step that showed it. */
export function OutputView(props: OutputProps) {
  const { value, pointer } = props
  if (Array.isArray(value)) return <ListView {...props} items={value} />
  if (isObject(value)) {
    return (
      <Scrolling label={pointer === '' ? 'Output' : pointer}>
        <table class="output">
          <tbody>
            {Object.entries(value).map(([key, inner]) => (
              <tr key={key}>
                <th scope="row">{spaced(key)}</th>
                <td>
                  <OutputView {...props} value={inner} pointer={below(pointer, key)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    )
  }
  return (
    <>
      {value === null ? <span class="quiet">not found</span> : <Words text={String(value)} />} <Source {...props} />
    </>
  )
}

function ListView({ items, ...props }: OutputProps & { readonly items: readonly unknown[] }) {
  const { pointer } = props
  if (items.length === 0) return <span class="quiet">none</span>
  if (!items.every(isObject)) {
    return (
      <ol>
        {items.map((item, index) => (
          <li key={below(pointer, index)}>
            <OutputView {...props} value={item} pointer={below(pointer, index)} />
          </li>
        ))}
      </ol>
    )
  }
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))]
  return (
    <Scrolling label={spaced(pointer.slice(1)) || 'Output'}>
      <table class="output">
        <thead>
          <tr>
            {columns.map((name) => (
              <th
                key={name}
                scope="col"
                class={items.some((item) => typeof item[name] === 'number') ? 'to-right' : undefined}
              >
                {spaced(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, index) => (
            <tr key={below(pointer, index)}>
              {columns.map((name) => (
                <td key={name} class={typeof item[name] === 'number' ? 'to-right' : undefined}>
                  <OutputView {...props} value={item[name] ?? null} pointer={below(below(pointer, index), name)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  )
}

/** Where a page showed the value. */
function Source({ pointer, sources, ungrounded }: OutputProps) {
  const seen = sources[pointer]
  if (seen) {
    return (
      <a class="source" href={`#step-${seen.step}`}>
        step {seen.step}
      </a>
    )
  }
  return ungrounded.includes(pointer) ? <span class="source bad">not seen on a page</span> : null
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A JSON pointer to a part. */
const below = (pointer: string, key: string | number): string =>
  `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
