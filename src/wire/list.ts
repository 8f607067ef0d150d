import * as v from 'valibot'

type ListOf<Name extends string, Item extends v.GenericSchema> = v.ObjectSchema<
  Record<Name | 'data', v.ArraySchema<Item, undefined>> & {
    next_cursor: v.NullableSchema<v.StringSchema<undefined>, undefined>
    has_more: v.BooleanSchema<undefined>
  },
  undefined
>

/** [E30] A page of a list: its items as `data`, and by the name that they had before. */
export const listOf = <const Name extends string, const Item extends v.GenericSchema>(name: Name, item: Item) =>
  v.object({
    data: v.array(item),
    next_cursor: v.nullable(v.string()),
    has_more: v.boolean(),
    [name]: v.array(item),
  }) as unknown as ListOf<Name, Item>

/** [E30] The body of a page; without a cursor it is the last one. */
export const pageOf = <const Name extends string, Item>(name: Name, items: Item[], next: string | null = null) =>
  ({ data: items, next_cursor: next, has_more: next !== null, [name]: items }) as unknown as Record<
    Name | 'data',
    Item[]
  > & { next_cursor: string | null; has_more: boolean }
