import * as v from 'valibot'
import { CURSOR } from './example-values.ts'
import { field, integer } from './fields.ts'

/** Of a query: how many a page of the list holds. */
export const pageLimit = (max: number, usual: number) =>
  field(v.optional(integer(1, max), usual), 'How many a page holds at most.', 50)

const cursorLike = (pattern: RegExp, example: string) =>
  field(
    v.optional(v.pipe(v.string(), v.regex(pattern, 'must be a next_cursor returned by this list'))),
    'The `next_cursor` of the page before.',
    example,
  )
export const pageCursor = cursorLike(/^[\w-]+$/, CURSOR)
/** Of a list in which the cursor counts. */
export const numberCursor = cursorLike(/^\d{1,9}$/, '50')

type ListOf<Name extends string, Item extends v.GenericSchema> = v.ObjectSchema<
  Record<Name | 'data', v.ArraySchema<Item, undefined>> & {
    next_cursor: v.NullableSchema<v.StringSchema<undefined>, undefined>
    has_more: v.BooleanSchema<undefined>
  },
  undefined
>

export const has_more = field(v.boolean(), 'There was more than fits on the page.', false)

/**
 * [E30] A page of a list: its items as `data`, and by the name that they had before.
 * @param meaning what the page holds
 */
export const listOf = <const Name extends string, const Item extends v.GenericSchema>(
  name: Name,
  item: Item,
  meaning: string,
) =>
  v.object({
    data: field(v.array(item), 'The items of the page.'),
    next_cursor: field(v.nullable(v.string()), 'Pass it as `cursor` for the next page; null on the last one.', CURSOR),
    has_more,
    [name]: field(v.array(item), meaning),
  }) as unknown as ListOf<Name, Item>

/** [E30] The body of a page; without a cursor it is the last one. */
export const pageOf = <const Name extends string, Item>(name: Name, items: Item[], next: string | null = null) =>
  ({ data: items, next_cursor: next, has_more: next !== null, [name]: items }) as unknown as Record<
    Name | 'data',
    Item[]
  > & { next_cursor: string | null; has_more: boolean }
